"""What tensors held, beside the order of ops: reading it, how far two runs are apart, and why.

Knows traces and no comparison: which ops are pairs is for the engine to say. Most comparisons have
no values: what only those need that do is imported when there are some.

    left, right = (ValuedTrace(trace, open_values(trace)) for trace in …)
    compared = compare_values(left, right, left_rows, right_rows)
    causes = find_causes(compared.pairs, Flow.of(left.trace), Flow.of(right.trace))
"""
