"""Opening sources in the user's editor."""

SENTENCES = {
    "editor.none": (
        "no editor could be started; name yours in the environment, as in "
        "OPDIFF_EDITOR='code --goto {{file}}:{{line}}'",
        "无法启动编辑器；请用环境变量指定，例如 OPDIFF_EDITOR='code --goto {{file}}:{{line}}'",
    ),
}
