"""The rows and pages of the window, its messages and dialogs."""
