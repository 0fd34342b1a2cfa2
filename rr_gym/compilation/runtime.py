"""The runtime functions that compiled code calls besides kernels, as LLVM IR.

Numba's own runtime needs the Python process: it counts references with atomic operations, and lets CPython report that
memory has run out. This runtime is a part of each library instead. It is inlined into its callers, counts without
atomic operations, and lets a shipped library run without Numba and without symbols of Python.
"""

from __future__ import annotations

from rr_gym.compilation.settings import CHECKS_BOUNDS

# Units call this at every index, with the size of the dimension, to ask whether it is out of bounds. If so, the unit
# returns an error at once and touches nothing. Without checks the answer is always no, and the call is optimized away.
OUTSIDE = "compilation.outside"
OUTSIDE_TEXT = f"""
define i1 @"{OUTSIDE}"(i64 %index, i64 %size) alwaysinline {{
  {"%outside = icmp uge i64 %index, %size" if CHECKS_BOUNDS else "%outside = add i1 false, false"}
  ret i1 %outside
}}
"""

# How units count references to arrays. Numba's pruning recognizes these functions by their names while they have no
# body. Afterwards they are defined without locks and inlined: no two threads ever see an array that a kernel has made.
# Arrays from outside are not counted (null).
COUNTED = {"NRT_incref", "NRT_decref"}
COUNTING = """
declare void @free(ptr)
define void @NRT_incref(ptr %block) alwaysinline {
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %count
count:
  %old = load i64, ptr %block
  %new = add i64 %old, 1
  store i64 %new, ptr %block
  br label %done
done:
  ret void
}
define void @NRT_decref(ptr %block) alwaysinline {
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %count
count:
  %old = load i64, ptr %block
  %new = sub i64 %old, 1
  store i64 %new, ptr %block
  %last = icmp eq i64 %old, 1
  br i1 %last, label %end, label %done
end:
  call void @free(ptr %block)
  br label %done
done:
  ret void
}
"""
# What Numba's runtime offers to code that makes arrays: blocks that begin with a count of references. Only the return
# code reports that memory has run out, since there is no interpreter. Only contiguous arrays are reshaped.
RUNTIME = """
declare ptr @malloc(i64)
declare void @free(ptr)
define ptr @NRT_Allocate(i64 %size) {
  %block = call ptr @malloc(i64 %size)
  ret ptr %block
}
define void @NRT_Free(ptr %block) {
  call void @free(ptr %block)
  ret void
}
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %wide = zext i32 %align to i64
  %more = add i64 %wide, 48
  %all = add i64 %size, %more
  %block = call ptr @malloc(i64 %all)
  %none = icmp eq ptr %block, null
  br i1 %none, label %failed, label %made
failed:
  ret ptr null
made:
  store i64 1, ptr %block
  %dtor = getelementptr i8, ptr %block, i64 8
  store ptr null, ptr %dtor
  %dtor_info = getelementptr i8, ptr %block, i64 16
  store ptr null, ptr %dtor_info
  %address = ptrtoint ptr %block to i64
  %after = add i64 %address, 47
  %up = add i64 %after, %wide
  %minus = sub i64 0, %wide
  %aligned = and i64 %up, %minus
  %data = inttoptr i64 %aligned to ptr
  %data_at = getelementptr i8, ptr %block, i64 24
  store ptr %data, ptr %data_at
  %size_at = getelementptr i8, ptr %block, i64 32
  store i64 %size, ptr %size_at
  %external = getelementptr i8, ptr %block, i64 40
  store ptr null, ptr %external
  ret ptr %block
}
define ptr @NRT_MemInfo_alloc(i64 %size) {
  %block = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %block
}
define void @PyErr_SetString(ptr %kind, ptr %text) {
  ret void
}
define ptr @NRT_MemInfo_alloc_safe_aligned(i64 %size, i32 %align) {
  %block = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %block
}
define ptr @NRT_MemInfo_alloc_aligned_external(i64 %size, i32 %align, ptr %allocator) {
  %block = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align)
  ret ptr %block
}
define i32 @numba_attempt_nocopy_reshape(i64 %nd, ptr %dims, ptr %strides, i64 %newnd, ptr %newdims, ptr %newstrides,
                                         i64 %item, i32 %fortran) {
begin:
  %c_order = icmp eq i32 %fortran, 0
  br i1 %c_order, label %old, label %refused
old:
  %left = phi i64 [ %nd, %begin ], [ %axis, %next_old ]
  %expected = phi i64 [ %item, %begin ], [ %bytes, %next_old ]
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %look, label %new
look:
  %axis = sub i64 %left, 1
  %dim_at = getelementptr i64, ptr %dims, i64 %axis
  %dim = load i64, ptr %dim_at
  %stride_at = getelementptr i64, ptr %strides, i64 %axis
  %stride = load i64, ptr %stride_at
  %follows = icmp eq i64 %stride, %expected
  %single = icmp eq i64 %dim, 1
  %whole = or i1 %follows, %single
  br i1 %whole, label %next_old, label %refused
next_old:
  %bytes = mul i64 %expected, %dim
  br label %old
new:
  %left_new = phi i64 [ %newnd, %old ], [ %axis_new, %lay ]
  %step = phi i64 [ %item, %old ], [ %bytes_new, %lay ]
  %more_new = icmp sgt i64 %left_new, 0
  br i1 %more_new, label %lay, label %done
lay:
  %axis_new = sub i64 %left_new, 1
  %to = getelementptr i64, ptr %newstrides, i64 %axis_new
  store i64 %step, ptr %to
  %newdim_at = getelementptr i64, ptr %newdims, i64 %axis_new
  %newdim = load i64, ptr %newdim_at
  %bytes_new = mul i64 %step, %newdim
  br label %new
done:
  ret i32 1
refused:
  ret i32 0
}
define void @NRT_MemInfo_call_dtor(ptr %block) {
  call void @free(ptr %block)
  ret void
}
"""
