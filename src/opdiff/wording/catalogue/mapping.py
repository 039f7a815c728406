"""What is wrong with msprobe's mapping files, and what of them found nothing."""

SENTENCES = {
    "mapping.cannot-read": (
        "cannot read the mapping ({reason}); give the path of a YAML file",
        "无法读取映射文件（{reason}）；请给出 YAML 文件的路径",
    ),
    "mapping.not-a-mapping": (
        "expected a mapping such as “fc2.Dense: fc2.Linear”, found {found}",
        "应为映射，例如“fc2.Dense: fc2.Linear”，实际为{found}",
    ),
    "mapping.not-a-name": (
        "expected a name, found {found}",
        "应为名称，实际为{found}",
    ),
    "mapping.api-missing": (
        "this entry has no {key}; give the call of both frameworks, as ms_api and pt_api",
        "此条目缺少 {key}；请以 ms_api 与 pt_api 给出两个框架的 API",
    ),
    "mapping.unequal-lists": (
        "ms_{name} and pt_{name} must hold equally many entries: they correspond one by one",
        "ms_{name} 与 pt_{name} 的条目数必须相同：它们逐一对应",
    ),
    "mapping.not-places": (
        "expected a list of places of arguments, from 0, or of their names; found {found}",
        "应为参数序号（从 0 起）或参数名的列表，实际为{found}",
    ),
    "mapping.place-twice": (
        "{place} is given a second time; an argument has one counterpart",
        "{place} 重复出现；一个参数只有一个对应",
    ),
    "mapping.found-nothing": (
        "mapping files: {count} of {total} entries name nothing in these two traces, first {name}",
        "映射文件：{total} 个条目中有 {count} 个在这两个执行序中找不到对应，首个为 {name}",
    ),
    "mapping.out-of-order": (
        "{count} pairs of the mapping stand in another order on the two sides and were not pinned",
        "映射中有 {count} 对在两侧的次序不同，未予固定",
    ),
}
