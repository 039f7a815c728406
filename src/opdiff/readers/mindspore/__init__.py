"""What MindSpore itself writes, but for its tracker: graph IR, launch orders, tensor dumps."""
