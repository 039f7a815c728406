"""The environment that turns MindSpore's tracker on, merged with what the user has set."""

from __future__ import annotations

from collections.abc import Mapping

from opdiff.capture.masking import masked

ALLOC_CONF = "MS_ALLOC_CONF"
LAUNCH_BLOCKING = "MS_DEV_LAUNCH_BLOCKING"
TRACKER, SIMPLE_TRACKER, TRACKER_PATH = "memory_tracker", "simple_tracker", "memory_tracker_path"

KEPT = frozenset(
    """
    MS_ALLOC_CONF MS_ASCEND_CHECK_OVERFLOW_MODE MS_COMPILER_CACHE_ENABLE MS_CUSTOM_AOT_WHITE_LIST
    MS_DEV_BOOST_INFER MS_DEV_BPROP_IMM_INFER MS_DEV_DISABLE_AUTO_H2D MS_DEV_ENABLE_KERNEL_PACKET
    MS_DEV_EXPANDER_FALLBACK MS_DEV_FALLBACK_USE_SUPPOSED_DTYPE MS_DEV_FORCE_ACL
    MS_DEV_GRAPH_KERNEL_FLAGS MS_DEV_HOST_BLOCKING_RUN MS_DEV_HYPER_OFFLOAD
    MS_DEV_JIT_AST_ENABLE_GUARD MS_DEV_JIT_ENABLE_VIEW_OP MS_DEV_JIT_PIPELINE
    MS_DEV_JIT_SYNTAX_LEVEL MS_DEV_LAUNCH_BLOCKING MS_DEV_PRECOMPILE_ONLY
    MS_DEV_PYNATIVE_FUSION_FLAGS MS_DEV_RUNTIME_CONF MS_DEV_SAVE_GRAPHS
    MS_DEV_SIDE_EFFECT_LOAD_ELIM MS_DEV_STATIC_ACL_OP MS_DEV_SYMBOL_JIT MS_DEV_TENSOR_INDEX_BOOST
    MS_DEV_USE_PY_BPROP MS_DISABLE_INTERNAL_KERNELS_LIST MS_DISABLE_KERNEL_BACKOFF
    MS_DISABLE_LCCL_KERNELS_LIST MS_ENABLE_ACLNN MS_ENABLE_FORMAT_MODE MS_ENABLE_GE
    MS_ENABLE_INTERNAL_BOOST MS_ENABLE_INTERNAL_KERNELS MS_ENABLE_IO_REUSE MS_ENABLE_LCCL
    MS_ENABLE_NUMA MS_ENABLE_RECOVERY MS_ENABLE_TFT MS_FORMAT_MODE MS_GPTO_OPTIONS
    MS_GRAPH_KERNEL_FLAGS MS_INTERNAL_DISABLE_CUSTOM_KERNEL_LIST
    MS_INTERNAL_ENABLE_CUSTOM_KERNEL_LIST MS_JIT MS_JIT_MODULES MS_KERNEL_LAUNCH_SKIP
    MS_MEMORY_STATISTIC MS_NODE_ID MS_OPTIMIZE_OP_IMPL MS_ROLE MS_SIMULATION_LEVEL
    MS_SUBMODULE_LOG_v MS_SYMBOL_ENGINE_OPTIMIZE MS_SYNC_RUN MS_WORKER_NUM
    MINDSPORE_DUMP_CONFIG MINDSPORE_HCCL_CONFIG_PATH
    GLOG_v GLOG_logtostderr GLOG_stderrthreshold
    RANK RANK_ID RANK_SIZE RANK_TABLE_FILE LOCAL_RANK LOCAL_WORLD_SIZE WORLD_SIZE
    DEVICE_ID DEVICE_NUM DEVICE_TARGET
    ASCEND_CUSTOM_OPP_PATH ASCEND_HOME_PATH ASCEND_LAUNCH_BLOCKING ASCEND_OPP_PATH
    ASCEND_RT_VISIBLE_DEVICES ASCEND_TOOLKIT_HOME ASCEND_VISIBLE_DEVICES TASK_QUEUE_ENABLE
    HCCL_ALGO HCCL_BUFFSIZE HCCL_DETERMINISTIC HCCL_OP_EXPANSION_MODE
    CUDA_VISIBLE_DEVICES CUDA_LAUNCH_BLOCKING CUBLAS_WORKSPACE_CONFIG
    OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS PYTHONHASHSEED
    """.split()
)
"""The variables that are written down: those known to decide which ops run, where and how."""


def read_alloc_conf(text: str) -> dict[str, str]:
    """``key:value,key:value`` as MindSpore reads it."""
    pairs = (entry.partition(":") for entry in text.split(",") if entry.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def write_alloc_conf(settings: Mapping[str, str]) -> str:
    """The inverse of :func:`read_alloc_conf`."""
    return ",".join(f"{key}:{value}" for key, value in settings.items())


def is_on(settings: Mapping[str, str], key: str) -> bool:
    """Whether a switch is on; MindSpore knows True and true, and takes 1 for off."""
    return settings.get(key, "") in {"True", "true"}


def tracker_environment(base: Mapping[str, str], *, stacks: bool) -> dict[str, str]:
    """A copy of *base* with the tracker on, and synchronous launches where stacks are wanted.

    Ops launched asynchronously run on a worker thread, whose Python stack says nothing.
    """
    environment = dict(base)
    settings = read_alloc_conf(base.get(ALLOC_CONF, ""))
    settings[TRACKER] = "True"
    environment[ALLOC_CONF] = write_alloc_conf(settings)
    if stacks:
        environment[LAUNCH_BLOCKING] = "1"
    return environment


def what_matters(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables of :data:`KEPT` that are set, with what looks like a secret masked."""
    return {key: masked(environment[key]) for key in sorted(KEPT) if key in environment}
