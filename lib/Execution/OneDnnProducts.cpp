//===- OneDnnProducts.cpp - Products by oneDNN ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneDnnProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// In programs
//===----------------------------------------------------------------------===//

static Type elementOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getElementType();
}

/// Whether the op is C[m, n] += A[m, k] B[n, k], of floats that oneDNN
/// multiplies.
static bool isProduct(linalg::GenericOp op, bool multipliesBf16) {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() != 3 ||
      op.getNumDpsInputs() != 2 || !linalg::isaContractionOpInterface(op))
    return false;
  AffineExpr m, n, k;
  bindDims(op.getContext(), m, n, k);
  auto mapOf = [&](AffineExpr first, AffineExpr second) {
    return AffineMap::get(3, 0, {first, second}, op.getContext());
  };
  if (op.getIndexingMapsArray() !=
      SmallVector<AffineMap>{mapOf(m, k), mapOf(n, k), mapOf(m, n)})
    return false;
  Type a = elementOf(op.getInputs()[0]), b = elementOf(op.getInputs()[1]);
  return a == b && (a.isF32() || (a.isBF16() && multipliesBf16)) &&
         elementOf(op.getOutputs()[0]).isF32() &&
         llvm::all_of(op->getOperands(), [](Value buffer) {
           return cast<MemRefType>(buffer.getType()).isLastDimUnitStride();
         });
}

namespace {
struct OneDnnProducts : PassWrapper<OneDnnProducts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OneDnnProducts)

  explicit OneDnnProducts(OneDnn &library) : library(library) {}
  OneDnnProducts(const OneDnnProducts &other)
      : PassWrapper(other), library(other.library) {}

  StringRef getArgument() const override { return "llm-onednn-products"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect,
                    memref::MemRefDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isProduct(op, library.multipliesBf16()))
        ops.push_back(op);
    });
    if (ops.empty())
      return;
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    SmallVector<Type> words(11, builder.getI64Type());
    auto callee = func::FuncOp::create(builder, getOperation().getLoc(),
                                       oneDnnProductSymbol,
                                       builder.getFunctionType(words, {}));
    callee.setPrivate();
    for (linalg::GenericOp op : ops)
      replace(op, callee);
  }

private:
  void replace(linalg::GenericOp op, func::FuncOp callee) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    auto toWord = [&](Value index) -> Value {
      return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                        index);
    };
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI64IntegerAttr(value));
    };
    SmallVector<Value> addresses, strides;
    SmallVector<SmallVector<Value>> sizes;
    for (Value buffer : op->getOperands()) {
      auto parts =
          memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
      Value begin = toWord(
          memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer));
      Value bytes = arith::MulIOp::create(
          builder, loc, toWord(parts.getOffset()),
          constant(elementOf(buffer).getIntOrFloatBitWidth() / 8));
      addresses.push_back(arith::AddIOp::create(builder, loc, begin, bytes));
      strides.push_back(toWord(parts.getStrides()[0]));
      sizes.push_back(
          {toWord(parts.getSizes()[0]), toWord(parts.getSizes()[1])});
    }
    SmallVector<Value> operands = {
        constant(reinterpret_cast<int64_t>(&library))};
    llvm::append_range(operands, addresses);
    llvm::append_range(operands,
                       ValueRange{sizes[2][0], sizes[2][1], sizes[0][1]});
    llvm::append_range(operands, strides);
    operands.push_back(constant(elementOf(op.getInputs()[0]).isBF16()));
    func::CallOp::create(builder, loc, callee, operands);
    op.erase();
  }

  OneDnn &library;
};
} // namespace

std::unique_ptr<Pass> llm::createOneDnnProductsPass(OneDnn &library) {
  return std::make_unique<OneDnnProducts>(library);
}

void llm::oneDnnProduct(int64_t library, int64_t a, int64_t b, int64_t c,
                        int64_t rows, int64_t columns, int64_t terms,
                        int64_t strideOfA, int64_t strideOfB, int64_t strideOfC,
                        int64_t hasBf16) {
  // A product may be empty, such as that of an expert that no token goes to.
  // oneDNN crashes on it.
  if (!rows || !columns || !terms)
    return;
  auto pointer = [](int64_t address) {
    return reinterpret_cast<void *>(address);
  };
  reinterpret_cast<OneDnn *>(library)->multiply(
      {rows, columns, terms, strideOfA, strideOfB, strideOfC, hasBf16},
      pointer(a), pointer(b), pointer(c));
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

#if LLM_HAS_ONEDNN
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/ErrorHandling.h"
#include <map>
#include <oneapi/dnnl/dnnl.h>

namespace {
void check(dnnl_status_t status) {
  if (status != dnnl_success)
    llvm::report_fatal_error("oneDNN refuses a product");
}

class Library : public OneDnn {
public:
  Library() {
    check(dnnl_engine_create(&engine, dnnl_cpu, 0));
    check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
  }
  ~Library() override {
    for (auto &[key, primitive] : primitives)
      dnnl_primitive_destroy(primitive.compiled);
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(engine);
  }

  bool multipliesBf16() const override {
    constexpr int64_t any = 16;
    Primitive tried;
    bool has = make({any, any, any, any, any, any, /*hasBf16=*/1}, tried) ==
               dnnl_success;
    if (has)
      dnnl_primitive_destroy(tried.compiled);
    return has;
  }

  void multiply(const ProductShape &shape, void *a, void *b, void *c) override {
    Primitive &primitive = find(shape);
    dnnl_exec_arg_t arguments[3] = {{DNNL_ARG_SRC, nullptr},
                                    {DNNL_ARG_WEIGHTS, nullptr},
                                    {DNNL_ARG_DST, nullptr}};
    void *data[] = {a, b, c};
    for (int i = 0; i < 3; ++i)
      check(dnnl_memory_create(&arguments[i].memory, &primitive.forms[i],
                               engine, data[i]));
    check(dnnl_primitive_execute(primitive.compiled, stream, 3, arguments));
    check(dnnl_stream_wait(stream));
    for (dnnl_exec_arg_t &argument : arguments)
      dnnl_memory_destroy(argument.memory);
  }

private:
  struct Primitive {
    dnnl_memory_desc_t forms[3];
    dnnl_primitive_t compiled = nullptr;
  };

  static dnnl_memory_desc_t describe(int64_t rows, int64_t columns,
                                     int64_t rowStride, int64_t columnStride,
                                     dnnl_data_type_t type) {
    dnnl_dims_t sizes = {rows, columns}, strides = {rowStride, columnStride};
    dnnl_memory_desc_t form;
    check(dnnl_memory_desc_init_by_strides(&form, 2, sizes, type, strides));
    return form;
  }

  Primitive &find(const ProductShape &shape) {
    Primitive &primitive = primitives[shape.key()];
    if (!primitive.compiled)
      check(make(shape, primitive));
    return primitive;
  }

  /// Compiles a product. Fails if there is none for this CPU.
  dnnl_status_t make(const ProductShape &shape, Primitive &primitive) const {
    dnnl_data_type_t type = shape.hasBf16 ? dnnl_bf16 : dnnl_f32;
    auto &[a, b, c] = primitive.forms;
    a = describe(shape.rows, shape.terms, shape.strideOfA, 1, type);
    b = describe(shape.terms, shape.columns, 1, shape.strideOfB, type);
    c = describe(shape.rows, shape.columns, shape.strideOfC, 1, dnnl_f32);
    dnnl_post_ops_t added;
    check(dnnl_post_ops_create(&added));
    check(dnnl_post_ops_append_sum(added, 1));
    dnnl_primitive_attr_t attributes;
    check(dnnl_primitive_attr_create(&attributes));
    check(dnnl_primitive_attr_set_post_ops(attributes, added));
    dnnl_matmul_desc_t product;
    check(dnnl_matmul_desc_init(&product, &a, &b, nullptr, &c));
    dnnl_primitive_desc_t description;
    dnnl_status_t status = dnnl_primitive_desc_create(
        &description, &product, attributes, engine, nullptr);
    if (status == dnnl_success) {
      status = dnnl_primitive_create(&primitive.compiled, description);
      dnnl_primitive_desc_destroy(description);
    }
    dnnl_primitive_attr_destroy(attributes);
    dnnl_post_ops_destroy(added);
    return status;
  }

  dnnl_engine_t engine;
  dnnl_stream_t stream;
  std::map<decltype(ProductShape().key()), Primitive> primitives;
};
} // namespace

/// Limits the threads of oneDNN, which are those of GNU's OpenMP.
static void limitThreads(unsigned threads) {
  std::string why;
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary("libgomp.so.1", &why);
  if (!library.isValid())
    return;
  if (void *found = library.getAddressOfSymbol("omp_set_num_threads"))
    reinterpret_cast<void (*)(int)>(found)(static_cast<int>(threads));
}

std::unique_ptr<OneDnn> OneDnn::create(unsigned threads) {
  limitThreads(threads);
  return std::make_unique<Library>();
}
#else
std::unique_ptr<OneDnn> OneDnn::create(unsigned) { return nullptr; }
#endif
