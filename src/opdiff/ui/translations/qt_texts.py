"""Words of Qt's own dialogs that its Chinese catalogue lacks."""

from __future__ import annotations

from opdiff.ui.commands.actions import N_

TEXTS = (
    N_("QFileDialog", "&Look in:"),
    N_("QFileDialog", "Files of &type:"),
    N_("QAbstractFileIconProvider", "Folder"),
    N_("QAbstractFileIconProvider", "Drive"),
    N_("QAbstractFileIconProvider", "File"),
)
