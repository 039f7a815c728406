"""What capturing has to say."""

from __future__ import annotations

SENTENCES = {
    "capture.own-dump": (
        "{variable} is set already: a dump of yours is set up. Unset it, or capture without "
        "--values and name your dump with --left-values or --right-values when comparing",
        "{variable} 已设置：您已配置 dump。请取消该变量；或不带 --values 获取，"
        "比较时用 --left-values 或 --right-values 指定您的 dump",
    ),
    "capture.foreign-dump": (
        "this is no dump that opdiff made: it is left alone. Choose another folder with --out",
        "这不是 opdiff 生成的 dump，不会改动。请用 --out 选择其他目录",
    ),
    "capture.dump-path": (
        "MindSpore dumps to paths of letters, digits, - and _ only, and neither this folder nor "
        "the one for temporary files is one. Choose another with --out",
        "MindSpore 的 dump 路径只能包含字母、数字、- 和 _，此目录和临时目录都不符合。"
        "请用 --out 选择其他目录",
    ),
    "capture.values": (
        "brought home the values of {count} operands, in {path}/dump",
        "已取回 {count} 个操作数的数值，位于 {path}/dump",
    ),
    "capture.no-values": (
        "no tensor was dumped: MindSpore dumps the kernels of compiled graphs only, so an eager "
        "run has none. Run it in graph mode or under jit; for PyTorch there is "
        'opdiff.record with values="sketch"',
        "没有转储任何张量：MindSpore 只转储编译后图中的算子，动态图没有。请用图模式或 jit 运行；"
        'PyTorch 可用 opdiff.record 并设 values="sketch"',
    ),
    "capture.cannot-start": (
        "cannot run {command}: {why}",
        "无法运行 {command}：{why}",
    ),
    "capture.got": (
        "brought home {path} (records: {ops})",
        "已取回 {path}（记录数：{ops}）",
    ),
    "capture.exit": (
        "the command ended with status {status}; the trace holds what ran until then",
        "命令以状态 {status} 结束；执行序只包含在此之前执行的算子",
    ),
    "capture.no-operands": (
        "no record has operands: the CPU build of MindSpore prints none, so ops can only be "
        "compared by name and order",
        "所有记录都没有操作数：MindSpore 的 CPU 版本不打印操作数，只能按算子名称和顺序比较",
    ),
    "capture.none": (
        "no trace: {why}",
        "没有得到执行序：{why}",
    ),
    "capture.kept": (
        "the trace in {path} is of an earlier run; it was left as it is",
        "{path} 中的执行序来自更早的一次运行，保持原样",
    ),
    "capture.killed": (
        "the command was killed by {signal}, and the tracker writes only when Python ends by "
        "itself. Let the program end (sys.exit, an exception and Ctrl-C are fine)",
        "命令被 {signal} 终止，而跟踪器只在 Python 正常退出时写文件。请让程序自行结束"
        "（sys.exit、异常、Ctrl-C 都可以）",
    ),
    "capture.simple-tracker": (
        "simple_tracker is on in MS_ALLOC_CONF: it writes tables only. Take it out and run again",
        "MS_ALLOC_CONF 中打开了 simple_tracker，它只写表格文件。请去掉后重新运行",
    ),
    "capture.old-version": (
        "MindSpore {version} cannot write an execution order; versions from 2.5 on can",
        "MindSpore {version} 不能输出执行序；2.5 及以后的版本才可以",
    ),
    "capture.nothing-ran": (
        "the tracker wrote an empty file: no op ran on the device in this process",
        "跟踪器写出的文件为空：本进程没有在设备上执行任何算子",
    ),
    "capture.only-tables": (
        "the tracker wrote its tables but no execution order, as MindSpore before 2.5 does, and "
        "2.5 itself in graph mode",
        "跟踪器只写了表格而没有执行序；2.5 之前的 MindSpore 以及 2.5 的图模式会如此",
    ),
    "capture.no-mindspore": (
        "MindSpore is not installed for {python}. Name the Python that has it",
        "{python} 没有安装 MindSpore。请指定装有 MindSpore 的 Python",
    ),
    "capture.failed": (
        "the command ended with status {status} before anything was recorded; its own messages "
        "tell why",
        "命令以状态 {status} 结束，没有记录到任何内容；原因见它自己的输出",
    ),
    "capture.ranks-without": (
        "left nothing: rank {ranks}; what the launcher logged for it tells why",
        "没有留下任何文件：rank {ranks}；启动器的日志会说明原因",
    ),
    "capture.no-rank": (
        "the run left no files for rank {rank}",
        "运行没有留下 rank {rank} 的文件",
    ),
    "capture.no-files": (
        "the run left no tracker files: it used no MindSpore, left through os._exit, or did its "
        "work in another process",
        "运行没有留下跟踪文件：它没有使用 MindSpore，或通过 os._exit 退出，或在其他进程中工作",
    ),
    "capture.no-command": (
        "expected a command after “--”, as in: opdiff capture -- python train.py",
        "“--”之后应有要运行的命令，例如：opdiff capture -- python train.py",
    ),
    "capture.two-tasks": (
        "a command after “--”, --pair and --jit-matrix exclude each other",
        "“--”后的命令、--pair 和 --jit-matrix 只能选一个",
    ),
    "capture.empty-script": (
        "--pair takes two scripts, each with its arguments in one word: --pair a.py 'b.py --jit'",
        "--pair 需要两个脚本，各自连同参数写成一个词：--pair a.py 'b.py --jit'",
    ),
    "capture.matrix-target": (
        "{target}: expected SCRIPT:FUNCTION, as in model.py:forward",
        "{target}：应为 脚本:函数，例如 model.py:forward",
    ),
    "capture.matrix-no-script": (
        "there is no such file; --jit-matrix takes SCRIPT:FUNCTION",
        "没有这个文件；--jit-matrix 的参数是 脚本:函数",
    ),
    "capture.matrix-no-setting": (
        "no setting matches {globs}; there are {names}",
        "没有与 {globs} 匹配的设置；现有 {names}",
    ),
    "capture.matrix-eager-failed": (
        "the eager run failed, so there is nothing to compare with: {why} (all of it: {log})",
        "动态图运行失败，没有比较的基准：{why}（全部输出见 {log}）",
    ),
    "capture.matrix-ops": (
        "{setting}: recording its ops ({number} of {total})",
        "{setting}：记录算子（{number}/{total}）",
    ),
    "capture.matrix-times": (
        "{setting}: timing it ({number} of {total})",
        "{setting}：计时（{number}/{total}）",
    ),
    "capture.matrix-eager": ("eager", "动态图"),
    "capture.matrix-reference": ("reference", "基准"),
    "capture.matrix-equal": ("equal", "相等"),
    "capture.matrix-wrong": (
        "WRONG (off by {difference})",
        "错误（相差 {difference}）",
    ),
    "capture.matrix-shape": (
        "WRONG (other shape)",
        "错误（形状不同）",
    ),
    "capture.matrix-failed": ("failed: {why}", "失败：{why}"),
    "capture.matrix-no-trace": ("no trace", "无执行序"),
    "capture.matrix-none": ("none", "无"),
    "capture.matrix-setting": ("setting", "设置"),
    "capture.matrix-result": ("result", "结果"),
    "capture.matrix-count": ("ops", "算子数"),
    "capture.matrix-prepare": ("first call", "首次调用"),
    "capture.matrix-run": ("a call after", "之后每次"),
    "capture.matrix-divergences": ("differences from eager", "与动态图的差异"),
    "capture.matrix-verdict": (
        "{count} of {total} settings compute something else than eager: {settings}",
        "{total} 种设置中有 {count} 种与动态图的计算结果不同：{settings}",
    ),
    "capture.matrix-fine": (
        "all settings that ran compute the same as eager",
        "所有成功运行的设置都与动态图的计算结果相同",
    ),
    "capture.matrix-kept": (
        "traces and logs are in {path}",
        "执行序和日志在 {path}",
    ),
}
