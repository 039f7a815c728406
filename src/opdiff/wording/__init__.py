"""Every sentence below the window, in English and Chinese.

The engine, the readers and the command line never build sentences: they name one by its code and
give what fills it in. One module of :mod:`opdiff.wording.catalogue` a topic holds both languages
side by side.
"""

from opdiff.wording.sentence import LANGUAGES, Sentence, say

__all__ = ["LANGUAGES", "Sentence", "say"]
