"""What the window can do: its actions in tables, menus of them, the palette, what they do."""
