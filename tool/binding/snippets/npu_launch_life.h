// --- life: new -> initialised -> closed; driven by Manager, looked at by operators ---

void require_initialised(const char* what);  // raises, naming `what`, before attr_init
void initialise(int64_t pe,
                int64_t n_ranks,
                int64_t local_mem_size,
                const std::string& ip_port);  // collective
void finalise();                              // collective

at::Tensor symmetric_tensor(int64_t bytes);            // collective; uint8, one dimension
void free_symmetric_tensor(const at::Tensor& tensor);  // collective

// The symmetric state of one operator object, zeroed. Construction and close() are collective. An
// object that is dropped without close() leaves its state to Manager.finalize(), which frees what
// is left in the order of construction: a destructor must not wait for other PEs.
class OperatorState {
 public:
  OperatorState(const char* op, int64_t bytes);  // 0 bytes: no memory, the same life
  ~OperatorState();
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
