"""How the window looks and speaks: colours, style, fonts, size of text, language."""
