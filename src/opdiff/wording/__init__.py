"""Every sentence below the window, in English and Chinese.

The engine, the readers and the command line never build sentences: they name one by its code and
give what fills it in. One file of ``catalogue/`` a topic holds both languages, each sentence on
one line, so that its words can be searched for.
"""

from opdiff.wording.sentence import LANGUAGES, Sentence, say

__all__ = ["LANGUAGES", "Sentence", "say"]
