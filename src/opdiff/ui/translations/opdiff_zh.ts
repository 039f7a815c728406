<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About opdiff</source>
        <translation>关于 opdiff</translation>
    </message>
    <message>
        <source>Apache License 2.0. Everything runs on this machine.</source>
        <translation>Apache License 2.0。一切都在本机运行。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Shows where two runs of the same model stop doing the same thing.</source>
        <translation>显示同一个模型的两次运行从哪里开始不同。</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;About opdiff</source>
        <translation>关于 opdiff(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Aligned</source>
        <translation>对齐滚动(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>后退(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Chinese (中文)</source>
        <translation>中文(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>比较(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Copy row</source>
        <translation>复制行(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Details and source</source>
        <translation>详情与源码(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Differences</source>
        <translation>差异(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;English</source>
        <translation>英文 English(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Find left anchor…</source>
        <translation>查找左锚点(&amp;F)…</translation>
    </message>
    <message>
        <source>&amp;Fold equal</source>
        <translation>折叠相同(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Go</source>
        <translation>转到(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Hide noise</source>
        <translation>隐藏噪声(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation>放大文字(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Left trace</source>
        <translation>左侧执行序(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Move this pin…</source>
        <translation>移动此固定配对(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Next difference</source>
        <translation>下一处差异(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Normal text</source>
        <translation>正常字号(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Note on this difference…</source>
        <translation>为此差异加注(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Panes only</source>
        <translation>只看两侧窗格(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Pin this op…</source>
        <translation>固定此算子(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Previous difference</source>
        <translation>上一处差异(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Remove this pin</source>
        <translation>移除此固定配对(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation>恢复默认布局(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Right trace</source>
        <translation>右侧执行序(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Save session</source>
        <translation>保存会话(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>搜索(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Smaller text</source>
        <translation>缩小文字(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Structure</source>
        <translation>结构(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>A legend: what every sign and colour means</source>
        <translation>图例：每个符号和颜色的含义</translation>
    </message>
    <message>
        <source>A rule: ops of this scope are no difference</source>
        <translation>规则：此作用域的算子不计为差异</translation>
    </message>
    <message>
        <source>A rule: ops of this type are no difference anywhere</source>
        <translation>规则：此类型的算子在任何位置都不计为差异</translation>
    </message>
    <message>
        <source>A rule: such ops do the same work wherever they occur</source>
        <translation>规则：这些算子无论出现在何处都完成相同的工作</translation>
    </message>
    <message>
        <source>All keys at a glance</source>
        <translation>所有快捷键一览</translation>
    </message>
    <message>
        <source>All n&amp;otes…</source>
        <translation>全部注释(&amp;O)…</translation>
    </message>
    <message>
        <source>Anyw&amp;here…</source>
        <translation>转到任意处(&amp;H)…</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>Begin a pin: this op is the same as one on the other side</source>
        <translation>开始固定：此算子与另一侧某个算子相同</translation>
    </message>
    <message>
        <source>Brin&amp;g the other side along</source>
        <translation>带动另一侧(&amp;G)</translation>
    </message>
    <message>
        <source>Bring back what was undone</source>
        <translation>恢复被撤销的操作</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>Compare &amp;downward</source>
        <translation>向下比较(&amp;D)</translation>
    </message>
    <message>
        <source>Compare &amp;upward</source>
        <translation>向上比较(&amp;U)</translation>
    </message>
    <message>
        <source>Compare both traces from end to end; needs no anchors</source>
        <translation>从头到尾比较两个执行序，不需要锚点</translation>
    </message>
    <message>
        <source>Compare from the anchors with which more ops find counterparts</source>
        <translation>改用能让更多算子找到对应算子的锚点比较</translation>
    </message>
    <message>
        <source>Compare the &amp;whole traces</source>
        <translation>比较整个执行序(&amp;W)</translation>
    </message>
    <message>
        <source>Compare the ops at and above the anchors, nearest first</source>
        <translation>比较锚点及其上方的算子，由近到远</translation>
    </message>
    <message>
        <source>Compare the ops at and below the anchors, nearest first</source>
        <translation>比较锚点及其下方的算子，由近到远</translation>
    </message>
    <message>
        <source>Copy a command that opens this view at the selected op</source>
        <translation>复制一条命令，用它可在选中的算子处重新打开此视图</translation>
    </message>
    <message>
        <source>Copy as command &amp;line</source>
        <translation>复制为命令行(&amp;L)</translation>
    </message>
    <message>
        <source>Copy difference as &amp;Markdown</source>
        <translation>将差异复制为 Markdown(&amp;M)</translation>
    </message>
    <message>
        <source>Copy the selected row as text</source>
        <translation>将选中的行复制为文本</translation>
    </message>
    <message>
        <source>Copy this difference with the source of both sides</source>
        <translation>复制此差异及两侧源码</translation>
    </message>
    <message>
        <source>Dark text on a light ground</source>
        <translation>浅色背景，深色文字</translation>
    </message>
    <message>
        <source>Data&amp;flow</source>
        <translation>数据流(&amp;F)</translation>
    </message>
    <message>
        <source>Dataflo&amp;w</source>
        <translation>数据流(&amp;W)</translation>
    </message>
    <message>
        <source>Deta&amp;ils</source>
        <translation>详情(&amp;I)</translation>
    </message>
    <message>
        <source>E&amp;quivalent here</source>
        <translation>在此处等价(&amp;Q)</translation>
    </message>
    <message>
        <source>Edit, load and save the rules</source>
        <translation>编辑、加载和保存规则</translation>
    </message>
    <message>
        <source>End the pin, or its move, at the selected row</source>
        <translation>在选中的行完成固定或移动</translation>
    </message>
    <message>
        <source>Equivalent &amp;everywhere</source>
        <translation>等价子图替换（处处）(&amp;E)</translation>
    </message>
    <message>
        <source>Find an action, a line, a function or a difference</source>
        <translation>查找操作、行号、函数或差异</translation>
    </message>
    <message>
        <source>Find an op on the left by type, scope or Python function</source>
        <translation>按类型、作用域或 Python 函数查找左侧算子</translation>
    </message>
    <message>
        <source>Find an op on the right by type, scope or Python function</source>
        <translation>按类型、作用域或 Python 函数查找右侧算子</translation>
    </message>
    <message>
        <source>Find rig&amp;ht anchor…</source>
        <translation>查找右锚点(&amp;H)…</translation>
    </message>
    <message>
        <source>First difference fro&amp;m the anchor</source>
        <translation>距锚点最近的差异(&amp;M)</translation>
    </message>
    <message>
        <source>First difference in &amp;value</source>
        <translation>首处数值差异(&amp;V)</translation>
    </message>
    <message>
        <source>Fold long stretches of equal ops to one row</source>
        <translation>将大段相同的算子折叠为一行</translation>
    </message>
    <message>
        <source>For&amp;ward</source>
        <translation>前进(&amp;W)</translation>
    </message>
    <message>
        <source>Give the text its normal size again</source>
        <translation>恢复正常字号</translation>
    </message>
    <message>
        <source>Go again to where you came back from</source>
        <translation>再次前往刚才退回之前的位置</translation>
    </message>
    <message>
        <source>Go back to where you were before the last jump</source>
        <translation>回到上次跳转之前的位置</translation>
    </message>
    <message>
        <source>Go to the &amp;cause</source>
        <translation>转到根因(&amp;C)</translation>
    </message>
    <message>
        <source>Go to the difference nearest the anchor</source>
        <translation>转到距锚点最近的差异</translation>
    </message>
    <message>
        <source>Go to the difference that explains this one</source>
        <translation>转到引起此差异的根因</translation>
    </message>
    <message>
        <source>Go to the first difference of the next group</source>
        <translation>转到下一组的第一处差异</translation>
    </message>
    <message>
        <source>Go to the first difference of the previous group</source>
        <translation>转到上一组的第一处差异</translation>
    </message>
    <message>
        <source>Go to the first op that differs in value</source>
        <translation>转到第一个数值不同的算子</translation>
    </message>
    <message>
        <source>Go to the next difference, in the order of the list</source>
        <translation>按列表顺序转到下一处差异</translation>
    </message>
    <message>
        <source>Go to the next group that nothing upstream explains</source>
        <translation>转到下一个没有上游原因的组</translation>
    </message>
    <message>
        <source>Go to the next row that the search finds</source>
        <translation>转到下一个搜索结果</translation>
    </message>
    <message>
        <source>Go to the previous difference, in the order of the list</source>
        <translation>按列表顺序转到上一处差异</translation>
    </message>
    <message>
        <source>Go to the previous group that nothing upstream explains</source>
        <translation>转到上一个没有上游原因的组</translation>
    </message>
    <message>
        <source>Go to the previous row that the search finds</source>
        <translation>转到上一个搜索结果</translation>
    </message>
    <message>
        <source>Grey all differences of this kind out, or bring them back</source>
        <translation>将此类差异全部置灰，或恢复显示</translation>
    </message>
    <message>
        <source>Grey this group out, or bring it back</source>
        <translation>将此组置灰，或恢复显示</translation>
    </message>
    <message>
        <source>Hide &amp;known renames</source>
        <translation>隐藏已知改名(&amp;K)</translation>
    </message>
    <message>
        <source>Hide all panels, or bring them back</source>
        <translation>隐藏所有面板，或恢复它们</translation>
    </message>
    <message>
        <source>Hide workspace, parameters, constants and bookkeeping</source>
        <translation>隐藏工作空间、参数、常量和运行时辅助节点</translation>
    </message>
    <message>
        <source>Ignore these &amp;very ops</source>
        <translation>忽略这些算子(&amp;V)</translation>
    </message>
    <message>
        <source>Ignore this &amp;scope</source>
        <translation>忽略此作用域(&amp;S)</translation>
    </message>
    <message>
        <source>Ignore this op &amp;type</source>
        <translation>忽略此算子类型(&amp;T)</translation>
    </message>
    <message>
        <source>Keep counterparts at the same height while scrolling</source>
        <translation>滚动时让对应算子保持同一高度</translation>
    </message>
    <message>
        <source>L&amp;ist of differences</source>
        <translation>差异列表(&amp;I)</translation>
    </message>
    <message>
        <source>La&amp;yers</source>
        <translation>层(&amp;Y)</translation>
    </message>
    <message>
        <source>Leave out names that are known to do the same job</source>
        <translation>不显示已知功能相同的改名</translation>
    </message>
    <message>
        <source>Leave out ops that the anchor does not depend on</source>
        <translation>不比较锚点不依赖的算子</translation>
    </message>
    <message>
        <source>Left &amp;anchor field</source>
        <translation>左锚点输入框(&amp;A)</translation>
    </message>
    <message>
        <source>Light or dark, as the system is</source>
        <translation>浅色或深色，跟随系统</translation>
    </message>
    <message>
        <source>Light text on a dark ground</source>
        <translation>深色背景，浅色文字</translation>
    </message>
    <message>
        <source>List and remove pins, ignored and equivalent ops</source>
        <translation>列出并移除固定配对、被忽略的算子和等价算子</translation>
    </message>
    <message>
        <source>List and walk by distance from the anchor, or again by cause</source>
        <translation>按离锚点的远近列出并逐个查看，或恢复为按原因</translation>
    </message>
    <message>
        <source>List, show, change and remove the notes</source>
        <translation>列出、查看、修改和移除注释</translation>
    </message>
    <message>
        <source>Make the last op of the selected op&apos;s Python function the anchor</source>
        <translation>将选中算子所在 Python 函数的最后一个算子设为锚点</translation>
    </message>
    <message>
        <source>Make the selected pair the anchors of both sides</source>
        <translation>将选中的一对算子设为两侧锚点</translation>
    </message>
    <message>
        <source>Make the selected row the anchor of its side</source>
        <translation>将选中的行设为该侧锚点</translation>
    </message>
    <message>
        <source>Make the text larger</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Make the text smaller</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Mark the rows that msprobe&apos;s own compare flagged</source>
        <translation>标出 msprobe 比对所标记的行</translation>
    </message>
    <message>
        <source>Move to the dataflow around the pair</source>
        <translation>转到周边数据流</translation>
    </message>
    <message>
        <source>Move to the details of the pair</source>
        <translation>转到详情</translation>
    </message>
    <message>
        <source>Move to the left trace</source>
        <translation>转到左侧执行序</translation>
    </message>
    <message>
        <source>Move to the lines of your code the pair comes from</source>
        <translation>转到这对算子所在的源码行</translation>
    </message>
    <message>
        <source>Move to the list of differences</source>
        <translation>转到差异列表</translation>
    </message>
    <message>
        <source>Move to the right trace</source>
        <translation>转到右侧执行序</translation>
    </message>
    <message>
        <source>Move to the table of layers and kinds</source>
        <translation>转到层与类别的表</translation>
    </message>
    <message>
        <source>Move to the tree of phases, layers and functions</source>
        <translation>转到阶段、层和函数的树</translation>
    </message>
    <message>
        <source>Ne&amp;xt root</source>
        <translation>下一个根因(&amp;X)</translation>
    </message>
    <message>
        <source>Nearest the anch&amp;or first</source>
        <translation>离锚点近的在前(&amp;O)</translation>
    </message>
    <message>
        <source>Next &amp;group</source>
        <translation>下一组(&amp;G)</translation>
    </message>
    <message>
        <source>Next &amp;hit</source>
        <translation>下一个结果(&amp;H)</translation>
    </message>
    <message>
        <source>Note on this &amp;group…</source>
        <translation>为此组加注(&amp;G)…</translation>
    </message>
    <message>
        <source>Onl&amp;y what the anchor depends on</source>
        <translation>只看锚点依赖的算子(&amp;Y)</translation>
    </message>
    <message>
        <source>Open &amp;left…</source>
        <translation>打开左侧(&amp;L)…</translation>
    </message>
    <message>
        <source>Open &amp;msprobe&apos;s result…</source>
        <translation>打开 &amp;msprobe 比对结果…</translation>
    </message>
    <message>
        <source>Open &amp;right…</source>
        <translation>打开右侧(&amp;R)…</translation>
    </message>
    <message>
        <source>Open a saved investigation</source>
        <translation>打开已保存的会话</translation>
    </message>
    <message>
        <source>Open a trace on the left side</source>
        <translation>在左侧打开执行序</translation>
    </message>
    <message>
        <source>Open a trace on the right side</source>
        <translation>在右侧打开执行序</translation>
    </message>
    <message>
        <source>Open sess&amp;ion…</source>
        <translation>打开会话(&amp;I)…</translation>
    </message>
    <message>
        <source>Open source in the editor</source>
        <translation>在编辑器中打开源码</translation>
    </message>
    <message>
        <source>Open the line of your code the op comes from</source>
        <translation>打开此算子所在的源码行</translation>
    </message>
    <message>
        <source>Pins and i&amp;gnored ops…</source>
        <translation>固定配对与忽略的算子(&amp;G)…</translation>
    </message>
    <message>
        <source>Previo&amp;us group</source>
        <translation>上一组(&amp;U)</translation>
    </message>
    <message>
        <source>Previous h&amp;it</source>
        <translation>上一个结果(&amp;I)</translation>
    </message>
    <message>
        <source>Previous roo&amp;t</source>
        <translation>上一个根因(&amp;T)</translation>
    </message>
    <message>
        <source>Put this end of the pin on another op</source>
        <translation>将固定配对的这一端移到另一个算子上</translation>
    </message>
    <message>
        <source>Read the traces again; anchors are found by content</source>
        <translation>重新读取执行序；锚点按内容重新定位</translation>
    </message>
    <message>
        <source>Reloa&amp;d</source>
        <translation>重新加载(&amp;D)</translation>
    </message>
    <message>
        <source>Right anchor fi&amp;eld</source>
        <translation>右锚点输入框(&amp;E)</translation>
    </message>
    <message>
        <source>Ru&amp;les…</source>
        <translation>规则(&amp;L)…</translation>
    </message>
    <message>
        <source>S&amp;ource</source>
        <translation>源码(&amp;O)</translation>
    </message>
    <message>
        <source>S&amp;tructure beside the panes</source>
        <translation>窗格旁的结构(&amp;T)</translation>
    </message>
    <message>
        <source>Save anchors, pins, rules, filters and notes</source>
        <translation>保存锚点、固定配对、规则、筛选和注释</translation>
    </message>
    <message>
        <source>Save session &amp;as…</source>
        <translation>会话另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Save the investigation under another name</source>
        <translation>以另一个名称保存会话</translation>
    </message>
    <message>
        <source>Say that nothing on the other side matches it, or take it back</source>
        <translation>声明另一侧没有与之对应的算子，或取消声明</translation>
    </message>
    <message>
        <source>Say where the sources of the trace are on this machine</source>
        <translation>指定执行序的源码在本机上的位置</translation>
    </message>
    <message>
        <source>Search op, scope, function, %id or line</source>
        <translation>搜索算子、作用域、函数、%id 或行号</translation>
    </message>
    <message>
        <source>Set &amp;anchor here</source>
        <translation>设为锚点(&amp;A)</translation>
    </message>
    <message>
        <source>Set &amp;both anchors here</source>
        <translation>设为两侧锚点(&amp;B)</translation>
    </message>
    <message>
        <source>Set anchor at the last op of this function</source>
        <translation>锚定在此函数的最后一个算子</translation>
    </message>
    <message>
        <source>Show again what rules and requests made vanish</source>
        <translation>重新显示被规则和请求隐去的内容</translation>
    </message>
    <message>
        <source>Show all panels, as large as at first</source>
        <translation>显示所有面板，恢复最初大小</translation>
    </message>
    <message>
        <source>Show or hide the dataflow</source>
        <translation>显示或隐藏数据流</translation>
    </message>
    <message>
        <source>Show or hide the details and the source</source>
        <translation>显示或隐藏详情与源码</translation>
    </message>
    <message>
        <source>Show or hide the list of differences</source>
        <translation>显示或隐藏差异列表</translation>
    </message>
    <message>
        <source>Show the window in Chinese</source>
        <translation>以中文显示窗口</translation>
    </message>
    <message>
        <source>Show the window in English</source>
        <translation>以英文显示窗口</translation>
    </message>
    <message>
        <source>Show what r&amp;ules took away</source>
        <translation>显示被规则隐去的内容(&amp;U)</translation>
    </message>
    <message>
        <source>Show what the traces are made of, and which layers differ</source>
        <translation>显示执行序的构成以及哪些层有差异</translation>
    </message>
    <message>
        <source>Signs and &amp;colours</source>
        <translation>符号与颜色(&amp;C)</translation>
    </message>
    <message>
        <source>Stop reading or comparing, or end a pin that was begun</source>
        <translation>停止读取或比较，或结束已开始的固定配对</translation>
    </message>
    <message>
        <source>Ta&amp;ke the better anchors</source>
        <translation>采用更合适的锚点(&amp;K)</translation>
    </message>
    <message>
        <source>Take the last decision back</source>
        <translation>撤销上一次操作</translation>
    </message>
    <message>
        <source>Take the pin of the selected op out</source>
        <translation>移除选中算子的固定配对</translation>
    </message>
    <message>
        <source>The ops selected on both sides do the same work, here</source>
        <translation>两侧选中的算子在此处完成相同的工作</translation>
    </message>
    <message>
        <source>The selected ops are no difference</source>
        <translation>选中的算子不计为差异</translation>
    </message>
    <message>
        <source>This group is k&amp;nown</source>
        <translation>此组为已知(&amp;N)</translation>
    </message>
    <message>
        <source>This k&amp;ind is known</source>
        <translation>此类为已知(&amp;I)</translation>
    </message>
    <message>
        <source>This op has n&amp;o counterpart</source>
        <translation>此算子无对应算子(&amp;O)</translation>
    </message>
    <message>
        <source>Type the line of the left anchor</source>
        <translation>输入左锚点的行号</translation>
    </message>
    <message>
        <source>Type the line of the right anchor</source>
        <translation>输入右锚点的行号</translation>
    </message>
    <message>
        <source>Version and licence</source>
        <translation>版本与许可证</translation>
    </message>
    <message>
        <source>Where is this source?…</source>
        <translation>此源码在哪里？…</translation>
    </message>
    <message>
        <source>Where not aligned: scroll to the counterparts as well</source>
        <translation>不对齐时：另一侧也滚动到对应算子</translation>
    </message>
    <message>
        <source>Write a report or a picture of what is shown</source>
        <translation>将当前内容导出为报告或图片</translation>
    </message>
    <message>
        <source>Write down what you know of all differences of this group</source>
        <translation>记下您对此组所有差异的了解</translation>
    </message>
    <message>
        <source>Write down what you know of this difference</source>
        <translation>记下您对此差异的了解</translation>
    </message>
    <message>
        <source>…with this op</source>
        <translation>…与此算子固定</translation>
    </message>
</context>
<context>
    <name>AnchorEdit</name>
    <message>
        <source>A line number is wanted here, such as 127.</source>
        <translation>请输入行号，例如 127。</translation>
    </message>
    <message>
        <source>Compare takes it, and so does Enter in the field.</source>
        <translation>比较时会采用它；在输入框中按 Enter 也可采用。</translation>
    </message>
    <message>
        <source>Find an op</source>
        <translation>查找算子</translation>
    </message>
    <message>
        <source>Find an op by type, scope or Python function</source>
        <translation>按类型、作用域或 Python 函数查找算子</translation>
    </message>
    <message>
        <source>Left anchor</source>
        <translation>左锚点行号</translation>
    </message>
    <message>
        <source>Likely the counterpart, {score}: {reason}</source>
        <translation>很可能是对应算子，{score}：{reason}</translation>
    </message>
    <message>
        <source>Nearest:</source>
        <translation>最近的算子：</translation>
    </message>
    <message>
        <source>No op has line {line}.</source>
        <translation>第 {line} 行没有算子。</translation>
    </message>
    <message>
        <source>Right anchor</source>
        <translation>右锚点行号</translation>
    </message>
    <message>
        <source>The line of the op to start from; any of its three lines will do</source>
        <translation>起始算子的行号；该算子三行中的任一行均可</translation>
    </message>
    <message>
        <source>Type the line of an op, or select a row and press A, or find one with ⌕.</source>
        <translation>输入算子的行号，或选中一行后按 A，或用 ⌕ 查找。</translation>
    </message>
    <message>
        <source>line</source>
        <translation>行号</translation>
    </message>
    <message>
        <source>{op} is bookkeeping, which is hidden and never compared.</source>
        <translation>{op} 是运行时辅助节点，默认隐藏且从不参与比较。</translation>
    </message>
</context>
<context>
    <name>Anchoring</name>
    <message>
        <source>Set anchor at the last op of</source>
        <translation>锚定在最后一个算子，所属函数</translation>
    </message>
    <message>
        <source>This op has no Python stack: its function is not known.</source>
        <translation>此算子没有 Python 调用栈，不知道属于哪个函数。</translation>
    </message>
    <message>
        <source>anchors</source>
        <translation>锚点</translation>
    </message>
</context>
<context>
    <name>Autosave</name>
    <message>
        <source>Discard</source>
        <translation>放弃</translation>
    </message>
    <message>
        <source>Last changed {when}.</source>
        <translation>最后修改于 {when}。</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>以后再说</translation>
    </message>
    <message numerus="yes">
        <source>Older copies that go with it: %n</source>
        <translation>
            <numerusform>一并移除的更早副本：%n 份</numerusform>
        </translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Restore?</source>
        <translation>恢复？</translation>
    </message>
    <message>
        <source>opdiff ended unexpectedly. Restore the work that was not saved?</source>
        <translation>opdiff 意外退出。是否恢复未保存的工作？</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>复制此消息</translation>
    </message>
</context>
<context>
    <name>CheatSheet</name>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
</context>
<context>
    <name>CommandPalette</name>
    <message>
        <source>Action, line, function or difference</source>
        <translation>操作、行号、函数或差异</translation>
    </message>
    <message>
        <source>Nothing is called so</source>
        <translation>没有这样的名称</translation>
    </message>
    <message>
        <source>Search the traces for {text}</source>
        <translation>在执行序中搜索 {text}</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>查找结果</translation>
    </message>
    <message>
        <source>left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>right</source>
        <translation>右</translation>
    </message>
</context>
<context>
    <name>Comparing</name>
    <message>
        <source>Looking for the counterpart of the anchor…</source>
        <translation>正在查找锚点的对应算子…</translation>
    </message>
    <message>
        <source>direction</source>
        <translation>方向</translation>
    </message>
</context>
<context>
    <name>ComparisonNotes</name>
    <message>
        <source>Show all notes on this comparison, or only the first</source>
        <translation>显示本次比较的全部说明，或只显示第一条</translation>
    </message>
    <message>
        <source>Take these anchors</source>
        <translation>采用这两个锚点</translation>
    </message>
    <message>
        <source>fewer</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>{n} more</source>
        <translation>另有 {n} 条</translation>
    </message>
</context>
<context>
    <name>CrashDialog</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Something went wrong</source>
        <translation>出错了</translation>
    </message>
    <message>
        <source>opdiff met something it was not made for. Nothing is lost: close this and go on.
Please copy the text below into a report.</source>
        <translation>opdiff 遇到了意料之外的情况。没有丢失任何内容：关闭此窗口即可继续。
请把下面的文本复制到问题报告中。</translation>
    </message>
</context>
<context>
    <name>DataflowView</name>
    <message>
        <source>+ %n more</source>
        <translation>+ 另有 %n 个</translation>
    </message>
    <message>
        <source>Dataflow around the pair</source>
        <translation>周边数据流</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适应</translation>
    </message>
    <message>
        <source>Fit the drawing into its frame (0)</source>
        <translation>使图形适应窗口大小（0）</translation>
    </message>
    <message>
        <source>How many steps from the pair are drawn</source>
        <translation>绘制距这对算子多少步以内的数据流</translation>
    </message>
    <message>
        <source>Select an op to see where its data comes from and goes to.</source>
        <translation>选中一个算子，查看其数据从何而来、流向何处。</translation>
    </message>
    <message>
        <source>depth {0}</source>
        <translation>深度 {0}</translation>
    </message>
    <message>
        <source>left {op}</source>
        <translation>左侧 {op}</translation>
    </message>
    <message>
        <source>right {op}</source>
        <translation>右侧 {op}</translation>
    </message>
    <message>
        <source>this link is lost on this side</source>
        <translation>此侧丢失了这条连接</translation>
    </message>
</context>
<context>
    <name>DecisionsDialog</name>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>DetailView</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Details field by field</source>
        <translation>逐项详情</translation>
    </message>
    <message>
        <source>Select an op to see both sides field by field.</source>
        <translation>选中一个算子，逐项查看两侧。</translation>
    </message>
    <message>
        <source>no difference</source>
        <translation>无差异</translation>
    </message>
    <message>
        <source>no difference, by a rule</source>
        <translation>按规则视为无差异</translation>
    </message>
    <message>
        <source>noise, never a difference</source>
        <translation>噪声，不计为差异</translation>
    </message>
    <message>
        <source>outside the compared range</source>
        <translation>不在比较范围内</translation>
    </message>
</context>
<context>
    <name>DifferencePanel</name>
    <message>
        <source>All differences are hidden by the filters.</source>
        <translation>所有差异都被筛选隐藏了。</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>No differences: what was compared is the same on both sides.</source>
        <translation>无差异：比较范围内两侧相同。</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>The order of the list</source>
        <translation>列表的顺序</translation>
    </message>
    <message>
        <source>Values were not compared.</source>
        <translation>数值未作比较。</translation>
    </message>
    <message>
        <source>What differs will be listed here; Esc stops it.</source>
        <translation>差异将列在这里；按 Esc 停止。</translation>
    </message>
    <message>
        <source>causes first</source>
        <translation>原因在前</translation>
    </message>
    <message>
        <source>from the top</source>
        <translation>自上而下</translation>
    </message>
    <message>
        <source>in the order of the file</source>
        <translation>按文件顺序</translation>
    </message>
    <message>
        <source>most frequent first</source>
        <translation>次数由多到少</translation>
    </message>
    <message>
        <source>most severe first</source>
        <translation>由重到轻</translation>
    </message>
    <message>
        <source>nearest the anchor first</source>
        <translation>距锚点由近到远</translation>
    </message>
</context>
<context>
    <name>Differences</name>
    <message>
        <source>1 difference</source>
        <translation>1 处差异</translation>
    </message>
    <message>
        <source>1 group</source>
        <translation>1 组</translation>
    </message>
    <message>
        <source>Cannot change values: {groups}, {differences}</source>
        <translation>不会改变数值：{groups}，{differences}</translation>
    </message>
    <message>
        <source>Change no values: {groups}, {differences}</source>
        <translation>不改变数值：{groups}，{differences}</translation>
    </message>
    <message>
        <source>Views, copies, layouts, known names and order: none of it changes a value</source>
        <translation>视图、拷贝、内存布局、已知等价名称、顺序：都不会改变数值</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>because of {cause}</source>
        <translation>源于 {cause}</translation>
    </message>
    <message>
        <source>explains {n}</source>
        <translation>引起 {n} 处</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>known</source>
        <translation>已知</translation>
    </message>
    <message>
        <source>known rename</source>
        <translation>已知改名</translation>
    </message>
    <message>
        <source>layer {n}</source>
        <translation>第 {n} 层</translation>
    </message>
    <message>
        <source>left {left} ↔ right {right}</source>
        <translation>左 {left} ↔ 右 {right}</translation>
    </message>
    <message>
        <source>left {line}</source>
        <translation>左 {line}</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>right {line}</source>
        <translation>右 {line}</translation>
    </message>
    <message>
        <source>root</source>
        <translation>根因</translation>
    </message>
    <message>
        <source>{lines} · one of {n} such blocks</source>
        <translation>{lines} · 共 {n} 个相同块之一</translation>
    </message>
    <message>
        <source>{n} differences</source>
        <translation>{n} 处差异</translation>
    </message>
    <message>
        <source>{n} groups</source>
        <translation>{n} 组</translation>
    </message>
    <message>
        <source>{n} of {total} follow from others</source>
        <translation>{total} 处中有 {n} 处由其他差异引起</translation>
    </message>
    <message>
        <source>… {n} before</source>
        <translation>… 前面还有 {n} 处</translation>
    </message>
    <message>
        <source>… {n} groups before</source>
        <translation>… 前面还有 {n} 组</translation>
    </message>
    <message>
        <source>… {n} more</source>
        <translation>… 另有 {n} 处</translation>
    </message>
    <message>
        <source>… {n} more groups</source>
        <translation>… 另有 {n} 组</translation>
    </message>
</context>
<context>
    <name>EmptyPane</name>
    <message>
        <source>Drop the left trace here</source>
        <translation>把左侧执行序拖到这里</translation>
    </message>
    <message>
        <source>Drop the right trace here</source>
        <translation>把右侧执行序拖到这里</translation>
    </message>
    <message>
        <source>Open left…</source>
        <translation>打开左侧…</translation>
    </message>
    <message>
        <source>Open right…</source>
        <translation>打开右侧…</translation>
    </message>
</context>
<context>
    <name>ErrorCurve</name>
    <message>
        <source>Error along the execution order</source>
        <translation>误差沿执行序的变化</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>CSV table</source>
        <translation>CSV 表格</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>Drawing of the view (SVG)</source>
        <translation>当前视图的矢量图 (SVG)</translation>
    </message>
    <message>
        <source>Excel workbook</source>
        <translation>Excel 工作簿</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>HTML page</source>
        <translation>HTML 页面</translation>
    </message>
    <message>
        <source>Markdown, for an issue</source>
        <translation>Markdown，用于问题单</translation>
    </message>
    <message>
        <source>Only the differences that the filters show</source>
        <translation>仅导出筛选后显示的差异</translation>
    </message>
    <message>
        <source>Picture of the view (PNG)</source>
        <translation>当前视图的图片 (PNG)</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>纯文本</translation>
    </message>
</context>
<context>
    <name>FieldGrid</name>
    <message>
        <source>difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>right</source>
        <translation>右</translation>
    </message>
</context>
<context>
    <name>FieldTable</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>另有 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>because of {0}</source>
        <translation>源于 {0}</translation>
    </message>
    <message>
        <source>compiled graph</source>
        <translation>静态图</translation>
    </message>
    <message>
        <source>compiled graph, scope {0}</source>
        <translation>静态图，作用域 {0}</translation>
    </message>
    <message>
        <source>constants</source>
        <translation>常量</translation>
    </message>
    <message>
        <source>eager</source>
        <translation>动态图</translation>
    </message>
    <message>
        <source>from</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>graph</source>
        <translation>静态图</translation>
    </message>
    <message>
        <source>input {0}</source>
        <translation>输入 {0}</translation>
    </message>
    <message>
        <source>lost links</source>
        <translation>丢失的连接</translation>
    </message>
    <message>
        <source>mode</source>
        <translation>模式</translation>
    </message>
    <message>
        <source>no counterpart</source>
        <translation>无对应算子</translation>
    </message>
    <message>
        <source>no producer in this trace</source>
        <translation>此执行序中没有生产者</translation>
    </message>
    <message>
        <source>no stack recorded</source>
        <translation>未记录调用栈</translation>
    </message>
    <message>
        <source>nothing here</source>
        <translation>无</translation>
    </message>
    <message>
        <source>output {0}</source>
        <translation>输出 {0}</translation>
    </message>
    <message>
        <source>read by</source>
        <translation>被读取</translation>
    </message>
    <message>
        <source>scope</source>
        <translation>作用域</translation>
    </message>
    <message>
        <source>stack</source>
        <translation>调用栈</translation>
    </message>
    <message>
        <source>stream</source>
        <translation>流</translation>
    </message>
    <message>
        <source>together</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message>
        <source>difference {n} of {total} · group {group} of {groups}</source>
        <translation>差异 {n} / {total} · 第 {group} 组，共 {groups} 组</translation>
    </message>
    <message>
        <source>no differences</source>
        <translation>无差异</translation>
    </message>
    <message>
        <source>{total} differences</source>
        <translation>{total} 处差异</translation>
    </message>
</context>
<context>
    <name>Finder</name>
    <message>
        <source>Anchor and compare upward</source>
        <translation>设为锚点并向上比较</translation>
    </message>
    <message>
        <source>Anchor here</source>
        <translation>设为锚点</translation>
    </message>
    <message>
        <source>Anchor here, then find its counterpart</source>
        <translation>设为锚点，再查找对应算子</translation>
    </message>
    <message>
        <source>Cleared, as nothing on this side fits: {what}</source>
        <translation>此侧没有符合的算子，已清除：{what}</translation>
    </message>
    <message>
        <source>Find the left anchor</source>
        <translation>查找左锚点</translation>
    </message>
    <message>
        <source>Find the right anchor</source>
        <translation>查找右锚点</translation>
    </message>
    <message>
        <source>First</source>
        <translation>第一个</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>最后一个</translation>
    </message>
    <message>
        <source>Most likely counterparts</source>
        <translation>最可能的对应算子</translation>
    </message>
    <message>
        <source>Most likely counterparts of left {op}</source>
        <translation>左侧 {op} 最可能的对应算子</translation>
    </message>
    <message>
        <source>Most likely counterparts of right {op}</source>
        <translation>右侧 {op} 最可能的对应算子</translation>
    </message>
    <message>
        <source>No op fits.</source>
        <translation>没有符合的算子。</translation>
    </message>
    <message>
        <source>No op type fits, but Python functions of that name do, with {n} ops.</source>
        <translation>没有符合的算子类型，但有同名的 Python 函数，共 {n} 个算子。</translation>
    </message>
    <message>
        <source>No op type fits.</source>
        <translation>没有符合的算子类型。</translation>
    </message>
    <message>
        <source>Occurrence</source>
        <translation>第几次出现</translation>
    </message>
    <message>
        <source>Op type</source>
        <translation>算子类型</translation>
    </message>
    <message>
        <source>Ops found</source>
        <translation>找到的算子</translation>
    </message>
    <message>
        <source>Python function</source>
        <translation>Python 函数</translation>
    </message>
    <message>
        <source>Scope</source>
        <translation>作用域</translation>
    </message>
    <message>
        <source>Where the other side has no anchor, its likeliest counterpart is taken</source>
        <translation>另一侧没有锚点时，采用最可能的对应算子</translation>
    </message>
    <message>
        <source>any; type a part of it, or with * and ?</source>
        <translation>任意；可输入一部分，或用 * 和 ?</translation>
    </message>
    <message>
        <source>part of a scope, or with * and ?</source>
        <translation>作用域的一部分，可用 * 和 ?</translation>
    </message>
    <message>
        <source>{n} ops</source>
        <translation>{n} 个算子</translation>
    </message>
</context>
<context>
    <name>FirstStep</name>
    <message>
        <source>Another step…</source>
        <translation>其他步…</translation>
    </message>
    <message>
        <source>None of {count} steps differs; this is the last, step {n}.</source>
        <translation>{count} 步均无差异；这是最后一步，即第 {n} 步。</translation>
    </message>
    <message>
        <source>Step {n} is the first of {count} that differs.</source>
        <translation>第 {n} 步是 {count} 步中第一个有差异的步。</translation>
    </message>
</context>
<context>
    <name>FlowCanvas</name>
    <message>
        <source>Dataflow</source>
        <translation>数据流</translation>
    </message>
</context>
<context>
    <name>FoldRow</name>
    <message>
        <source>1 differs in value only</source>
        <translation>1 个仅数值不同</translation>
    </message>
    <message>
        <source>1 equal op</source>
        <translation>1 个相同算子</translation>
    </message>
    <message>
        <source>1 op not compared</source>
        <translation>1 个未比较的算子</translation>
    </message>
    <message>
        <source>{count} differ in value only</source>
        <translation>{count} 个仅数值不同</translation>
    </message>
    <message>
        <source>{count} equal ops</source>
        <translation>{count} 个相同算子</translation>
    </message>
    <message>
        <source>{count} hidden by filters</source>
        <translation>{count} 个被筛选隐藏</translation>
    </message>
    <message>
        <source>{count} ops not compared</source>
        <translation>{count} 个未比较的算子</translation>
    </message>
</context>
<context>
    <name>Handlers</name>
    <message>
        <source>Open left trace</source>
        <translation>打开左侧执行序</translation>
    </message>
    <message>
        <source>Open right trace</source>
        <translation>打开右侧执行序</translation>
    </message>
    <message>
        <source>Traces (*.ir *.gz *.txt *.json *.csv *.log *.py *.pbtxt);;All files (*)</source>
        <translation>执行序 (*.ir *.gz *.txt *.json *.csv *.log *.py *.pbtxt);;所有文件 (*)</translation>
    </message>
    <message>
        <source>ancestors only</source>
        <translation>仅锚点依赖</translation>
    </message>
    <message>
        <source>known renames</source>
        <translation>已知改名</translation>
    </message>
</context>
<context>
    <name>Hints</name>
    <message>
        <source>F5 compares upward from the anchors, also from one that is only offered.</source>
        <translation>F5 从两个锚点向上比较，其中一个只是推荐时也可以。</translation>
    </message>
    <message>
        <source>N goes to the next difference, B to its cause, Alt+← back; Ctrl+P finds the rest.</source>
        <translation>N 转到下一处差异，B 转到根因，Alt+← 后退；Ctrl+P 查找其余一切。</translation>
    </message>
    <message>
        <source>No more hints</source>
        <translation>不再提示</translation>
    </message>
    <message>
        <source>Select the same op on both sides and press A on each: comparing starts there.</source>
        <translation>在两侧选中同一个算子并分别按 A：比较从那里开始。</translation>
    </message>
</context>
<context>
    <name>Judging</name>
    <message>
        <source>Ignored everywhere: {what}</source>
        <translation>已处处忽略：{what}</translation>
    </message>
    <message>
        <source>Ops ignored: {n}</source>
        <translation>已忽略的算子：{n} 个</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>equivalent everywhere</source>
        <translation>处处等价</translation>
    </message>
    <message>
        <source>equivalent here</source>
        <translation>此处等价</translation>
    </message>
    <message>
        <source>ignore ops</source>
        <translation>忽略算子</translation>
    </message>
    <message>
        <source>ignore scope</source>
        <translation>忽略作用域</translation>
    </message>
    <message>
        <source>ignore {op}</source>
        <translation>忽略 {op}</translation>
    </message>
    <message>
        <source>known group</source>
        <translation>已知的组</translation>
    </message>
    <message>
        <source>known kind</source>
        <translation>已知的类别</translation>
    </message>
</context>
<context>
    <name>KindFilter</name>
    <message>
        <source>Further kinds</source>
        <translation>其他类别</translation>
    </message>
    <message>
        <source>Kinds of differences</source>
        <translation>差异类别</translation>
    </message>
    <message>
        <source>Show all kinds</source>
        <translation>显示所有类别</translation>
    </message>
    <message>
        <source>Show only these</source>
        <translation>只显示这一类</translation>
    </message>
    <message>
        <source>Show or hide: {kind} ({count} found). Right click: show only these</source>
        <translation>显示或隐藏：{kind}（共 {count} 处）。右键：只看这一类</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>only one side</source>
        <translation>单侧算子</translation>
    </message>
</context>
<context>
    <name>Legend</name>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Rows and links</source>
        <translation>行与连线</translation>
    </message>
    <message>
        <source>Signs and colours</source>
        <translation>符号与颜色</translation>
    </message>
    <message>
        <source>a copy into contiguous memory on one side</source>
        <translation>一侧多出一次连续化拷贝</translation>
    </message>
    <message>
        <source>a pair that you decreed</source>
        <translation>您指定的一对算子</translation>
    </message>
    <message>
        <source>anchor</source>
        <translation>锚点</translation>
    </message>
    <message>
        <source>another data type</source>
        <translation>数据类型不同</translation>
    </message>
    <message>
        <source>another number of operands</source>
        <translation>操作数个数不同</translation>
    </message>
    <message>
        <source>another shape</source>
        <translation>形状不同</translation>
    </message>
    <message>
        <source>another stream or attribute</source>
        <translation>流或属性不同</translation>
    </message>
    <message>
        <source>bookkeeping, never a difference</source>
        <translation>运行时辅助节点，从不计为差异</translation>
    </message>
    <message>
        <source>by a rule</source>
        <translation>按规则</translation>
    </message>
    <message>
        <source>comparing starts here</source>
        <translation>从此处开始比较</translation>
    </message>
    <message>
        <source>counterparts of different op types</source>
        <translation>对应的算子类型不同</translation>
    </message>
    <message>
        <source>dot</source>
        <translation>圆点</translation>
    </message>
    <message>
        <source>equal ops, click to open</source>
        <translation>相同的算子，单击展开</translation>
    </message>
    <message>
        <source>fold</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>hatching</source>
        <translation>斜线</translation>
    </message>
    <message>
        <source>no counterpart on the left</source>
        <translation>左侧没有对应算子</translation>
    </message>
    <message>
        <source>no counterpart on the right</source>
        <translation>右侧没有对应算子</translation>
    </message>
    <message>
        <source>no difference, as you said</source>
        <translation>按您的规则不计为差异</translation>
    </message>
    <message>
        <source>noise</source>
        <translation>噪声</translation>
    </message>
    <message>
        <source>note</source>
        <translation>注释</translation>
    </message>
    <message>
        <source>nothing on this side</source>
        <translation>此侧没有对应内容</translation>
    </message>
    <message>
        <source>only one side prints strides and offset</source>
        <translation>只有一侧打印 strides 和 offset</translation>
    </message>
    <message>
        <source>other strides or another offset</source>
        <translation>strides 或 offset 不同</translation>
    </message>
    <message>
        <source>pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>ran on the host on one side</source>
        <translation>一侧在主机上运行</translation>
    </message>
    <message>
        <source>reads what another op wrote</source>
        <translation>读取的是另一个算子的输出</translation>
    </message>
    <message>
        <source>several ops became one</source>
        <translation>多个算子合成一个</translation>
    </message>
    <message>
        <source>the other end of a link is out of sight</source>
        <translation>连线的另一端不在视野内</translation>
    </message>
    <message>
        <source>the same difference so many times</source>
        <translation>同一差异出现的次数</translation>
    </message>
    <message>
        <source>the same op at another place</source>
        <translation>同一算子位于不同位置</translation>
    </message>
    <message>
        <source>what the tensors hold parts here</source>
        <translation>张量的数值从这里开始不同</translation>
    </message>
    <message>
        <source>you wrote about it</source>
        <translation>您为它加了注释</translation>
    </message>
    <message>
        <source>× 61</source>
        <translation>× 61</translation>
    </message>
</context>
<context>
    <name>LinkStrip</name>
    <message>
        <source>Click a link to go to its other end</source>
        <translation>点击连线可转到它的另一端</translation>
    </message>
    <message>
        <source>Links between the traces</source>
        <translation>两个执行序之间的连线</translation>
    </message>
</context>
<context>
    <name>MarksDialog</name>
    <message>
        <source>Equivalent here</source>
        <translation>此处等价</translation>
    </message>
    <message>
        <source>Ignored</source>
        <translation>已忽略</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>左侧</translation>
    </message>
    <message>
        <source>No counterpart</source>
        <translation>无对应算子</translation>
    </message>
    <message>
        <source>Nothing yet. Select an op and press M to pin it, or I to ignore it.</source>
        <translation>暂无。选中算子后按 M 固定配对，或按 I 忽略。</translation>
    </message>
    <message>
        <source>Pins</source>
        <translation>固定配对</translation>
    </message>
    <message>
        <source>Pins and ignored ops</source>
        <translation>固定配对与忽略的算子</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>右侧</translation>
    </message>
    <message>
        <source>remove {what}</source>
        <translation>移除{what}</translation>
    </message>
</context>
<context>
    <name>MessageLine</name>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>MsprobeMarks</name>
    <message>
        <source>Open msprobe&apos;s result</source>
        <translation>打开 msprobe 比对结果</translation>
    </message>
    <message>
        <source>Tables (*.csv *.csv.gz *.xlsx);;All files (*)</source>
        <translation>表格 (*.csv *.csv.gz *.xlsx);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>NextStep</name>
    <message>
        <source>Anchor both traces at the same op: select it and press A, or search with ⌕. Then compare upward. Where all of both should be the same, compare the whole traces (F7).</source>
        <translation>把两侧锚定在同一个算子上：选中后按 A，或用 ⌕ 查找；然后向上比较。若两侧本应全部相同，可直接比较整个执行序（F7）。</translation>
    </message>
    <message>
        <source>Both sides are anchored: compare upward (F5).</source>
        <translation>两侧锚点已设好：向上比较（F5）。</translation>
    </message>
    <message>
        <source>Compare upward (F5) from the op that is offered at the left field; ⌕ beside it lists others.</source>
        <translation>可直接向上比较（F5），采用左侧输入框给出的算子；旁边的 ⌕ 列出其他候选。</translation>
    </message>
    <message>
        <source>Compare upward (F5) from the op that is offered at the right field; ⌕ beside it lists others.</source>
        <translation>可直接向上比较（F5），采用右侧输入框给出的算子；旁边的 ⌕ 列出其他候选。</translation>
    </message>
    <message>
        <source>Open the left trace, or drop it on its pane.</source>
        <translation>请打开左侧执行序，或把它拖到左侧窗格。</translation>
    </message>
    <message>
        <source>Open the right trace, or drop it on its pane.</source>
        <translation>请打开右侧执行序，或把它拖到右侧窗格。</translation>
    </message>
</context>
<context>
    <name>NoteDialog</name>
    <message>
        <source>For example: harmless, same aclnn kernel</source>
        <translation>例如：无害，同一个 aclnn 算子</translation>
    </message>
    <message>
        <source>Keep the note  Ctrl+Return</source>
        <translation>保存注释  Ctrl+Return</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注释</translation>
    </message>
</context>
<context>
    <name>NotesDialog</name>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>修改…</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>行号</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注释</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>注释</translation>
    </message>
    <message>
        <source>Nothing yet. T writes a note on a difference, Shift+T on its group.</source>
        <translation>还没有注释。按 T 为差异加注，按 Shift+T 为其所在的组加注。</translation>
    </message>
    <message>
        <source>group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>remove note</source>
        <translation>移除注释</translation>
    </message>
    <message>
        <source>{kind}, not found now</source>
        <translation>{kind}，当前未找到</translation>
    </message>
</context>
<context>
    <name>Noting</name>
    <message>
        <source>Note on a difference</source>
        <translation>差异注释</translation>
    </message>
    <message>
        <source>Note on a group</source>
        <translation>组注释</translation>
    </message>
    <message>
        <source>note</source>
        <translation>注释</translation>
    </message>
</context>
<context>
    <name>Overview</name>
    <message>
        <source>Overview of the differences</source>
        <translation>差异概览</translation>
    </message>
    <message>
        <source>a note</source>
        <translation>有注释</translation>
    </message>
    <message>
        <source>a pin</source>
        <translation>有固定配对</translation>
    </message>
    <message>
        <source>found by the search</source>
        <translation>搜索命中</translation>
    </message>
</context>
<context>
    <name>PaneHeader</name>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>line</source>
        <translation>行号</translation>
    </message>
    <message>
        <source>op</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>source</source>
        <translation>源码</translation>
    </message>
</context>
<context>
    <name>Pinning</name>
    <message>
        <source>Moving the pin of {op} (line {line}): select its new op, press {key}; Esc ends it</source>
        <translation>正在移动 {op}（第 {line} 行）的固定配对：选中新的算子，按 {key}；Esc 结束</translation>
    </message>
    <message>
        <source>Pin {op} (left line {line}): select its counterpart, press {key}; Esc ends it</source>
        <translation>固定 {op}（左侧第 {line} 行）：选中其对应算子，按 {key}；Esc 结束</translation>
    </message>
    <message>
        <source>Pin {op} (right line {line}): select its counterpart, press {key}; Esc ends it</source>
        <translation>固定 {op}（右侧第 {line} 行）：选中其对应算子，按 {key}；Esc 结束</translation>
    </message>
    <message>
        <source>move pin</source>
        <translation>移动固定配对</translation>
    </message>
    <message>
        <source>no counterpart</source>
        <translation>无对应算子</translation>
    </message>
    <message>
        <source>pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>remove pin</source>
        <translation>移除固定配对</translation>
    </message>
</context>
<context>
    <name>QAbstractFileIconProvider</name>
    <message>
        <source>Drive</source>
        <translation>驱动器</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>查找范围(&amp;L)：</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>文件类型(&amp;T)：</translation>
    </message>
</context>
<context>
    <name>RanksPage</name>
    <message>
        <source>Communication and what else there is to say</source>
        <translation>通信与其他说明</translation>
    </message>
    <message>
        <source>Enter, or a double click, opens a rank</source>
        <translation>回车或双击可打开该 rank</translation>
    </message>
</context>
<context>
    <name>RecentMenus</name>
    <message>
        <source>None yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>Recent on the left</source>
        <translation>左侧最近打开</translation>
    </message>
    <message>
        <source>Recent on the right</source>
        <translation>右侧最近打开</translation>
    </message>
    <message>
        <source>Recent sessions</source>
        <translation>最近的会话</translation>
    </message>
</context>
<context>
    <name>Reloading</name>
    <message>
        <source>Reload</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>{names} has changed on disk.</source>
        <translation>{names} 在磁盘上已更改。</translation>
    </message>
</context>
<context>
    <name>Replacing</name>
    <message>
        <source>Replace the file?</source>
        <translation>替换该文件？</translation>
    </message>
    <message>
        <source>{path} exists already. Replace it?</source>
        <translation>{path} 已存在。要替换它吗？</translation>
    </message>
</context>
<context>
    <name>RulesDialog</name>
    <message>
        <source>Load rules</source>
        <translation>加载规则</translation>
    </message>
    <message>
        <source>Load…</source>
        <translation>加载…</translation>
    </message>
    <message>
        <source>No rules yet: write one, or take the # away from an example.</source>
        <translation>还没有规则：可自行编写，或去掉示例前的 #。</translation>
    </message>
    <message>
        <source>Remove rule</source>
        <translation>移除规则</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Rules</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Rules (*.yaml *.yml);;All files (*)</source>
        <translation>规则 (*.yaml *.yml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Save rules</source>
        <translation>保存规则</translation>
    </message>
    <message>
        <source>Saved as {path}</source>
        <translation>已保存为 {path}</translation>
    </message>
    <message>
        <source>What each rule matches</source>
        <translation>每条规则匹配的内容</translation>
    </message>
    <message>
        <source>left ops</source>
        <translation>左侧算子</translation>
    </message>
    <message>
        <source>may be paired; still reported</source>
        <translation>可以配对，仍会报告</translation>
    </message>
    <message>
        <source>never a difference</source>
        <translation>从不算差异</translation>
    </message>
    <message>
        <source>one sequence stands for the other</source>
        <translation>一个序列等价于另一个序列</translation>
    </message>
    <message>
        <source>paired, and no difference</source>
        <translation>可以配对，且不算差异</translation>
    </message>
    <message>
        <source>right ops</source>
        <translation>右侧算子</translation>
    </message>
    <message>
        <source>rules</source>
        <translation>规则</translation>
    </message>
</context>
<context>
    <name>SampleMenu</name>
    <message>
        <source>&amp;Samples</source>
        <translation>示例(&amp;S)</translation>
    </message>
</context>
<context>
    <name>SearchEdit</name>
    <message>
        <source>Op type, scope, Python function, %id or line; * and ? stand for anything</source>
        <translation>算子类型、作用域、Python 函数、%id 或行号；* 和 ? 为通配符</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search op, scope, function, line</source>
        <translation>搜索算子、作用域、函数、行号</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>Sessions</name>
    <message>
        <source>Open session</source>
        <translation>打开会话</translation>
    </message>
    <message>
        <source>Pins, rules or notes have not been saved in a session.</source>
        <translation>固定配对、规则或注释尚未保存到会话中。</translation>
    </message>
    <message>
        <source>Save session</source>
        <translation>保存会话</translation>
    </message>
    <message>
        <source>Save session?</source>
        <translation>保存会话？</translation>
    </message>
    <message>
        <source>Sessions (*.opdiff)</source>
        <translation>会话 (*.opdiff)</translation>
    </message>
    <message>
        <source>Sessions (*.opdiff);;All files (*)</source>
        <translation>会话 (*.opdiff);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>Sharing</name>
    <message>
        <source>Copied: a command that opens this view again</source>
        <translation>已复制：可重新打开此视图的命令</translation>
    </message>
    <message>
        <source>Copied: this difference as Markdown, with its sources</source>
        <translation>已复制：此差异的 Markdown，含两侧源码</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Session saved: {name}</source>
        <translation>会话已保存：{name}</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Written: {path}</source>
        <translation>已写入：{path}</translation>
    </message>
</context>
<context>
    <name>SourceSide</name>
    <message>
        <source>Choose the file here; its neighbours are then found by themselves</source>
        <translation>在此选择该文件；相邻的文件随后会自动找到</translation>
    </message>
    <message>
        <source>Left source</source>
        <translation>左侧源码</translation>
    </message>
    <message>
        <source>Left stack</source>
        <translation>左侧调用栈</translation>
    </message>
    <message>
        <source>Right source</source>
        <translation>右侧源码</translation>
    </message>
    <message>
        <source>Right stack</source>
        <translation>右侧调用栈</translation>
    </message>
    <message>
        <source>Where is it?…</source>
        <translation>它在哪里？…</translation>
    </message>
    <message>
        <source>compiled graph, scope {0}: no stack was recorded</source>
        <translation>静态图，作用域 {0}：没有记录调用栈</translation>
    </message>
    <message>
        <source>no stack was recorded</source>
        <translation>没有记录调用栈</translation>
    </message>
</context>
<context>
    <name>SourceView</name>
    <message>
        <source>Open in editor</source>
        <translation>在编辑器中打开</translation>
    </message>
    <message>
        <source>Open the chosen frame in your editor  S</source>
        <translation>在编辑器中打开选中的栈帧  S</translation>
    </message>
    <message>
        <source>Select an op to see the lines of your code it comes from.</source>
        <translation>选择一个算子，查看它来自哪些源码行。</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
</context>
<context>
    <name>Sources</name>
    <message>
        <source>Python sources (*.py *.pyi *.pyw *.pyx);;All files (*)</source>
        <translation>Python 源文件 (*.py *.pyi *.pyw *.pyx);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Where is {name}?</source>
        <translation>{name} 在哪里？</translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message>
        <source>1 difference</source>
        <translation>1 处差异</translation>
    </message>
    <message>
        <source>1 group</source>
        <translation>1 组</translation>
    </message>
    <message>
        <source>1 operand repaired</source>
        <translation>修复 1 个操作数</translation>
    </message>
    <message>
        <source>1 problem</source>
        <translation>1 处问题</translation>
    </message>
    <message>
        <source>1 root</source>
        <translation>1 个根因</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>F1 keys</source>
        <translation>F1 快捷键</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>aligning</source>
        <translation>对齐中</translation>
    </message>
    <message>
        <source>classifying</source>
        <translation>分类中</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>hide</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>no differences</source>
        <translation>无差异</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>读取中</translation>
    </message>
    <message>
        <source>show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>values</source>
        <translation>处理数值中</translation>
    </message>
    <message>
        <source>which?</source>
        <translation>哪些？</translation>
    </message>
    <message>
        <source>why?</source>
        <translation>为什么？</translation>
    </message>
    <message>
        <source>{differences} in {groups}, {roots}</source>
        <translation>{differences}，{groups}，{roots}</translation>
    </message>
    <message>
        <source>{left} ↔ {right} ops</source>
        <translation>{left} ↔ {right} 个算子</translation>
    </message>
    <message>
        <source>{n} differences</source>
        <translation>{n} 处差异</translation>
    </message>
    <message>
        <source>{n} groups</source>
        <translation>{n} 组</translation>
    </message>
    <message>
        <source>{n} ignored</source>
        <translation>已忽略 {n} 个</translation>
    </message>
    <message>
        <source>{n} of {total}</source>
        <translation>{n}/{total}</translation>
    </message>
    <message>
        <source>{n} operands repaired</source>
        <translation>修复 {n} 个操作数</translation>
    </message>
    <message>
        <source>{n} pairs</source>
        <translation>{n} 对匹配</translation>
    </message>
    <message>
        <source>{n} problems</source>
        <translation>{n} 处问题</translation>
    </message>
    <message>
        <source>{n} roots</source>
        <translation>{n} 个根因</translation>
    </message>
    <message>
        <source>{what} in the left file</source>
        <translation>左侧文件有 {what}</translation>
    </message>
    <message>
        <source>{what} in the right file</source>
        <translation>右侧文件有 {what}</translation>
    </message>
    <message>
        <source>{what} on the left</source>
        <translation>左侧{what}</translation>
    </message>
    <message>
        <source>{what} on the right</source>
        <translation>右侧{what}</translation>
    </message>
</context>
<context>
    <name>Store</name>
    <message>
        <source>left anchor</source>
        <translation>左锚点</translation>
    </message>
    <message>
        <source>right anchor</source>
        <translation>右锚点</translation>
    </message>
</context>
<context>
    <name>StructureModel</name>
    <message>
        <source>differ</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>lines {first}–{last}</source>
        <translation>第 {first}–{last} 行</translation>
    </message>
    <message>
        <source>ops</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>{count} differences, {suspects} may change a value</source>
        <translation>{count} 处差异，其中 {suspects} 处可能改变数值</translation>
    </message>
</context>
<context>
    <name>StructurePanel</name>
    <message>
        <source>Structure</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>Structure of the left trace</source>
        <translation>左侧执行序的结构</translation>
    </message>
    <message>
        <source>Structure of the right trace</source>
        <translation>右侧执行序的结构</translation>
    </message>
    <message>
        <source>left</source>
        <translation>左侧</translation>
    </message>
    <message>
        <source>only {what}</source>
        <translation>仅 {what}</translation>
    </message>
    <message>
        <source>right</source>
        <translation>右侧</translation>
    </message>
    <message>
        <source>show all</source>
        <translation>全部显示</translation>
    </message>
</context>
<context>
    <name>StructureView</name>
    <message>
        <source>Structure of the trace</source>
        <translation>执行序的结构</translation>
    </message>
</context>
<context>
    <name>SummaryModel</name>
    <message>
        <source>L</source>
        <translation>左</translation>
    </message>
    <message>
        <source>R</source>
        <translation>右</translation>
    </message>
    <message>
        <source>all</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>attrs</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>{count} may change a value</source>
        <translation>{count} 处可能改变数值</translation>
    </message>
    <message>
        <source>{place}: {count} differences</source>
        <translation>{place}：{count} 处差异</translation>
    </message>
</context>
<context>
    <name>SummaryView</name>
    <message>
        <source>Differences by layer and kind</source>
        <translation>按层和类别统计的差异</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>Left anchor</source>
        <translation>左锚点行号</translation>
    </message>
    <message>
        <source>Left trace</source>
        <translation>左侧执行序</translation>
    </message>
    <message>
        <source>Right anchor</source>
        <translation>右锚点行号</translation>
    </message>
    <message>
        <source>Right trace</source>
        <translation>右侧执行序</translation>
    </message>
    <message>
        <source>⇅ Whole</source>
        <translation>⇅ 整体</translation>
    </message>
    <message>
        <source>▲  Compare upward</source>
        <translation>▲  向上比较</translation>
    </message>
    <message>
        <source>▼ Down</source>
        <translation>▼ 向下</translation>
    </message>
</context>
<context>
    <name>TraceCombo</name>
    <message>
        <source>Left trace</source>
        <translation>左侧执行序</translation>
    </message>
    <message>
        <source>Open a trace: type or paste its path, or drop it here</source>
        <translation>打开执行序：输入或粘贴路径，或将文件拖放到此处</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Right trace</source>
        <translation>右侧执行序</translation>
    </message>
    <message>
        <source>no trace</source>
        <translation>无执行序</translation>
    </message>
</context>
<context>
    <name>TracePane</name>
    <message>
        <source>Left trace</source>
        <translation>左侧执行序</translation>
    </message>
    <message>
        <source>Right trace</source>
        <translation>右侧执行序</translation>
    </message>
</context>
<context>
    <name>TraceTitle</name>
    <message>
        <source>eager</source>
        <translation>动态图</translation>
    </message>
    <message>
        <source>eager + graph</source>
        <translation>动态图 + 静态图</translation>
    </message>
    <message>
        <source>graph</source>
        <translation>静态图</translation>
    </message>
    <message>
        <source>reading {name} {percent} %</source>
        <translation>正在读取 {name} {percent} %</translation>
    </message>
    <message>
        <source>topological order</source>
        <translation>拓扑序</translation>
    </message>
    <message>
        <source>{count} ops</source>
        <translation>{count} 个算子</translation>
    </message>
</context>
<context>
    <name>TroubleList</name>
    <message>
        <source>Problems and repairs</source>
        <translation>问题与修复</translation>
    </message>
    <message>
        <source>Some ops print their operands only at a Contiguous that runs later. They were put back where they belong; what could not be read is listed with its line.</source>
        <translation>有些算子的操作数在稍后执行的 Contiguous 处才打印，已放回原处；无法读取的内容连同行号列出。</translation>
    </message>
    <message>
        <source>line {line}</source>
        <translation>第 {line} 行</translation>
    </message>
    <message>
        <source>line {line}: operands of {op} put back</source>
        <translation>第 {line} 行：已放回 {op} 的操作数</translation>
    </message>
</context>
<context>
    <name>Undoing</name>
    <message>
        <source>&amp;Redo {what}</source>
        <translation>重做{what}(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Undo {what}</source>
        <translation>撤销{what}(&amp;U)</translation>
    </message>
</context>
<context>
    <name>ValueFields</name>
    <message>
        <source>error {0}</source>
        <translation>误差 {0}</translation>
    </message>
    <message>
        <source>value of input {0}</source>
        <translation>输入 {0} 的数值</translation>
    </message>
    <message>
        <source>value of output {0}</source>
        <translation>输出 {0} 的数值</translation>
    </message>
</context>
<context>
    <name>VerdictLine</name>
    <message>
        <source>All {total} differences may change a value.</source>
        <translation>全部 {total} 处差异都可能改变数值。</translation>
    </message>
    <message>
        <source>The one difference may change a value.</source>
        <translation>这一处差异可能改变数值。</translation>
    </message>
    <message>
        <source>{count} of the {shown} shown may change a value ({suspects} of all {total}).</source>
        <translation>当前显示的 {shown} 处中有 {count} 处可能改变数值（全部 {total} 处中有 {suspects} 处）。</translation>
    </message>
    <message>
        <source>{count} of {total} differences may change a value.</source>
        <translation>{total} 处差异中有 {count} 处可能改变数值。</translation>
    </message>
</context>
<context>
    <name>Walking</name>
    <message>
        <source>No further root. Once more: on from the first.</source>
        <translation>后面没有根因了。再按一次从第一个继续。</translation>
    </message>
    <message>
        <source>No root before this. Once more: on from the last.</source>
        <translation>前面没有根因了。再按一次从最后一个继续。</translation>
    </message>
    <message>
        <source>Nothing upstream explains this one of its group.</source>
        <translation>本组中的这一处没有上游原因。</translation>
    </message>
    <message>
        <source>The first difference. Once more: on from the last.</source>
        <translation>已是第一处差异。再按一次从最后一处继续。</translation>
    </message>
    <message>
        <source>The first group. Once more: on from the last.</source>
        <translation>已是第一组。再按一次从最后一组继续。</translation>
    </message>
    <message>
        <source>The last difference. Once more: on from the first.</source>
        <translation>已是最后一处差异。再按一次从第一处继续。</translation>
    </message>
    <message>
        <source>The last group. Once more: on from the first.</source>
        <translation>已是最后一组。再按一次从第一组继续。</translation>
    </message>
    <message>
        <source>This is a root: nothing upstream explains it.</source>
        <translation>这就是根因：没有上游差异引起它。</translation>
    </message>
</context>
<context>
    <name>Welcome</name>
    <message>
        <source>Anchor both at the same op: type its line, or select it and press A.</source>
        <translation>把两侧锚定在同一个算子上：输入行号，或选中后按 A。</translation>
    </message>
    <message>
        <source>Compare upward; runs that should be wholly the same need no anchors (F7).</source>
        <translation>从锚点向上比较；若两次运行本应全部相同，无需锚点，直接比较整个执行序（F7）。</translation>
    </message>
    <message>
        <source>Open left…</source>
        <translation>打开左侧…</translation>
    </message>
    <message>
        <source>Open right…</source>
        <translation>打开右侧…</translation>
    </message>
    <message>
        <source>Open two traces, or drop them on the window: files or rank folders.</source>
        <translation>打开两个执行序，或将它们拖到窗口上：文件或 rank 文件夹。</translation>
    </message>
    <message>
        <source>Or try a sample:</source>
        <translation>或试用示例：</translation>
    </message>
    <message>
        <source>SiLU against GeLU: one op replaced in every layer</source>
        <translation>SiLU 与 GeLU：每层替换了一个算子</translation>
    </message>
    <message>
        <source>Walk from difference to difference with N and P.</source>
        <translation>用 N 和 P 在差异之间移动。</translation>
    </message>
    <message>
        <source>Where do two runs of the same model stop being the same?</source>
        <translation>同一个模型的两次运行，从哪里开始不同？</translation>
    </message>
    <message>
        <source>eager against jit: ops that fell back to the CPU</source>
        <translation>动态图与 jit：回退到 CPU 的算子</translation>
    </message>
    <message>
        <source>eager against jit: where views became copies</source>
        <translation>动态图与 jit：视图变成了拷贝</translation>
    </message>
    <message>
        <source>recorded with MindSpore: ReLU against GeLU, trained</source>
        <translation>MindSpore 实际采集：ReLU 与 GeLU，含训练</translation>
    </message>
    <message>
        <source>recorded with MindSpore: eager against traced jit</source>
        <translation>MindSpore 实际采集：动态图与 trace 方式的 jit</translation>
    </message>
    <message>
        <source>recorded with PyTorch, with values: six steps, and a loss that goes wrong</source>
        <translation>PyTorch 录制，含数值：六个训练步，loss 中途出错</translation>
    </message>
    <message>
        <source>two runs in which nothing differs</source>
        <translation>没有差异的两次运行</translation>
    </message>
</context>
</TS>
