"""What PyTorch's plugins for Ascend write: torch_npu's log, TorchAir's graphs."""
