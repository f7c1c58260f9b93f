// --- life: the Manager of this tree initialises and finalises SHMEM, and knows nothing of us ---

void require_initialised(const char* what);  // raises, naming `what`, before attr_init

// The symmetric state of one operator object, zeroed. Construction and close() are collective.
// close() comes before Manager.finalize(): an object that is dropped without it keeps its state
// until then, because a destructor must not wait for other PEs, and one that outlives finalize()
// must not be used again, even after another attr_init().
class OperatorState {
 public:
  OperatorState(const char* op, int64_t bytes);  // 0 bytes: no memory, the same life
  ~OperatorState() = default;
  OperatorState(const OperatorState&) = delete;
  OperatorState& operator=(const OperatorState&) = delete;

  // Raise when the state is closed, by close() or by Manager.finalize().
  void require_open() const;
  uint8_t* data() const;
  void close();  // idempotent

  struct Block;

 private:
  std::shared_ptr<Block> block_;
};
