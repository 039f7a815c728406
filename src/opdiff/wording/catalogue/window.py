"""What is said when there can be no window, or no picture of it."""

SENTENCES = {
    "window.no-qt": (
        "the window needs Qt, which is not installed here: pip install 'opdiff[gui]' (on aarch64 "
        "Linux Qt wants glibc 2.39 or later). 'opdiff compare' works without it",
        "窗口需要 Qt，而当前环境未安装：请执行 pip install 'opdiff[gui]'（在 aarch64 Linux 上，"
        "Qt 需要 glibc 2.39 或更高版本）。'opdiff compare' 无需 Qt 即可使用",
    ),
    "window.no-display": (
        "there is no display for the window (neither DISPLAY nor WAYLAND_DISPLAY is set); "
        "--screenshot FILE.png renders it without one, 'opdiff compare' prints the differences",
        "没有可用的显示（未设置 DISPLAY 或 WAYLAND_DISPLAY）；"
        "可用 --screenshot FILE.png 直接渲染窗口，或用 'opdiff compare' 打印差异",
    ),
    "window.no-platform": (
        "Qt cannot start the window: {reason}\n"
        "Install the system libraries it needs (on Debian: apt install libxcb-cursor0 libegl1 "
        "libxkbcommon-x11-0), or use 'opdiff compare'",
        "Qt 无法启动窗口：{reason}\n"
        "请安装所需的系统库（Debian：apt install libxcb-cursor0 libegl1 libxkbcommon-x11-0），"
        "或使用 'opdiff compare'",
    ),
    "window.not-a-place": (
        "--goto {text}: expected the lines of a difference, as in 463:643; one may be left out",
        "--goto {text}：应为差异两侧的行号，例如 463:643；可以省略其中一个",
    ),
    "window.not-a-size": (
        "{text} is no size; give width and height, as in 1440x900",
        "{text} 不是尺寸；请给出宽和高，例如 1440x900",
    ),
    "window.too-large": (
        "{text} at scale {scale} is {pixels} pixels; a picture may have {most}: give a smaller "
        "--size or --scale",
        "{text} 在 --scale {scale} 下为 {pixels} 像素；图片最多 {most} 像素："
        "请减小 --size 或 --scale",
    ),
    "window.not-written": (
        "the picture cannot be written; give a .png file in a folder that exists",
        "无法写入图片；请给出已存在目录下的 .png 文件",
    ),
    "window.anchors-needed": (
        "--compare {direction} needs --left-anchor and --right-anchor; "
        "'opdiff find' helps to choose them",
        "--compare {direction} 需要同时给出 --left-anchor 与 --right-anchor；"
        "可用 'opdiff find' 挑选锚点",
    ),
    "window.several-graphs": (
        "this file holds several graphs, and the first one is shown: choose another",
        "该文件中有多个图，当前显示第一个：可选择其他图",
    ),
    "window.several-steps": (
        "these folders hold the traces of several training steps: choose one",
        "这两个文件夹中有多个训练步的执行序：请选择一步",
    ),
    "window.several-ranks": (
        "this folder holds the traces of several ranks: choose one",
        "该文件夹中有多个 rank 的执行序：请选择一个",
    ),
}
