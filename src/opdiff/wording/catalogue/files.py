"""What is said of files that are none, or too large."""

from __future__ import annotations

SENTENCES = {
    "file.not-regular": (
        "is {what}, and nothing is read from there; name a file",
        "是{what}，不会从中读取；请指定一个文件",
    ),
    "file.a-folder": ("a folder", "文件夹"),
    "file.a-pipe": ("a pipe", "管道"),
    "file.a-socket": ("a socket", "套接字"),
    "file.a-device": ("a device", "设备"),
    "file.too-large": (
        "holds {size} bytes; a file of this kind may hold {most}",
        "有 {size} 字节；这类文件最多 {most} 字节",
    ),
}
