"""What PyTorch itself writes: FX graphs, DebugMode, Execution Traces, profiles."""
