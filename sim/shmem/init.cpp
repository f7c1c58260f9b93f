#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "sim/core/job.h"
#include "sim/core/stream.h"
#include "sim/shmem/state.h"

// Life of the library. Order of the checks and codes: the public interface
// (docs/simulator.md#shmem).

using namespace shmem_sim;  // NOLINT(google-build-using-namespace): C functions over these modules
using namespace shmem_sim::shmem;  // NOLINT(google-build-using-namespace)

namespace {

struct Endpoint {
  std::string host;
  uint16_t port = 0;
};

// "host:port" or "[v6]:port".
std::optional<Endpoint> parse_host_and_port(const std::string& text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size() ||
      text.find('/') != std::string::npos ||  // a scheme given twice
      text.find_first_not_of("0123456789", colon + 1) != std::string::npos) {
    return std::nullopt;
  }
  Endpoint endpoint;
  endpoint.host = text.substr(0, colon);
  if (endpoint.host.front() == '[' && endpoint.host.back() == ']') {
    endpoint.host = endpoint.host.substr(1, endpoint.host.size() - 2);
  } else if (endpoint.host.find_first_of(":[]") != std::string::npos) {
    return std::nullopt;  // an address of version 6 stands in brackets, both of them
  }
  char* end = nullptr;
  const long port = std::strtol(text.c_str() + colon + 1, &end, 10);
  if (*end != '\0' || port <= 1024 || port > 65535) {
    return std::nullopt;
  }
  endpoint.port = static_cast<uint16_t>(port);
  return endpoint;
}

// "tcp://host:port" or "tcp6://[v6]:port".
std::optional<Endpoint> parse_endpoint(const std::string& text) {
  for (const std::string scheme : {"tcp://", "tcp6://"}) {
    if (text.rfind(scheme, 0) == 0) {
      return parse_host_and_port(text.substr(scheme.size()));
    }
  }
  return std::nullopt;
}

// What a unique id carries in `internal`: the endpoint as text. The root keeps the bound socket.
std::map<std::string, int>& bound_listeners() {
  static std::map<std::string, int> listeners;
  return listeners;
}

int check_attributes(const aclshmemx_init_attr_t* attr, const char* call) {
  if (attr == nullptr) {
    return complain(call, ACLSHMEM_INVALID_PARAM, "attributes is null");
  }
  if (attr->my_pe < 0 || attr->n_pes <= 0 || attr->n_pes > ACLSHMEM_MAX_PES) {
    return complain(
        call, ACLSHMEM_INVALID_VALUE, fmt::format("PE {} of {}", attr->my_pe, attr->n_pes));
  }
  if (attr->my_pe >= attr->n_pes) {
    return complain(
        call, ACLSHMEM_INVALID_PARAM, fmt::format("PE {} of {}", attr->my_pe, attr->n_pes));
  }
  if (attr->local_mem_size == 0 || attr->local_mem_size > ACLSHMEM_MAX_LOCAL_SIZE) {
    return complain(
        call,
        ACLSHMEM_INVALID_VALUE,
        fmt::format("local_mem_size {}: 1 byte to 40 GiB are possible", attr->local_mem_size));
  }
  if (attr->option_attr.shm_init_timeout == 0 || attr->option_attr.control_operation_timeout == 0) {
    return complain(call, ACLSHMEM_INVALID_VALUE, "a timeout of 0 seconds");
  }
  const int engines = attr->option_attr.data_op_engine_type;
  if (engines <= 0 || engines > (ACLSHMEM_DATA_OP_MTE | ACLSHMEM_DATA_OP_SDMA |
                                 ACLSHMEM_DATA_OP_ROCE | ACLSHMEM_DATA_OP_UDMA)) {
    return complain(call, ACLSHMEM_INVALID_VALUE, fmt::format("data_op_engine_type {}", engines));
  }
  return ACLSHMEM_SUCCESS;
}

std::string bounded_text(const char* text, size_t room) {
  return {text, strnlen(text, room)};
}

// Endpoint and, on the root of a unique id, the socket that is bound already.
std::optional<Endpoint> endpoint_of(aclshmemx_bootstrap_t flags,
                                    const aclshmemx_init_attr_t& attr,
                                    int& listener) {
  const std::string ip_port = bounded_text(attr.ip_port, sizeof attr.ip_port);
  if (flags == ACLSHMEMX_INIT_WITH_DEFAULT && !ip_port.empty()) {
    return parse_endpoint(ip_port);
  }
  if (attr.comm_args == nullptr) {
    return std::nullopt;
  }
  const auto* id = static_cast<const aclshmemx_uniqueid_t*>(attr.comm_args);
  const std::string text = bounded_text(id->internal, sizeof id->internal);
  if (const auto bound = bound_listeners().find(text);
      attr.my_pe == 0 && bound != bound_listeners().end()) {
    listener = bound->second;
    bound_listeners().erase(bound);
  }
  return parse_endpoint(text);
}

int join(const aclshmemx_init_attr_t& attr,
         const Endpoint& endpoint,
         int listener,
         const char* call) {
  JobOptions options;
  options.pe = attr.my_pe;
  options.pe_count = attr.n_pes;
  options.host = endpoint.host;
  options.port = endpoint.port;
  options.listener_fd = listener;
  options.heap_bytes = attr.local_mem_size + ACLSHMEM_EXTRA_SIZE;
  options.timeout = std::chrono::seconds(attr.option_attr.shm_init_timeout);
  const Status status = join_job(options);
  if (!status.ok()) {
    return complain(call, ACLSHMEM_INNER_ERROR, status.message);
  }
  auto fresh = std::make_unique<State>();
  fresh->allocator = std::make_unique<HeapAllocator>(options.heap_bytes);
  fresh->signal_area = fresh->allocator->allocate(512, 512).value_or(0);
  fresh->default_stream = create_stream(current_device());
  set_state(std::move(fresh));
  return ACLSHMEM_SUCCESS;
}

// The handles of teams that are not made: a caller that looks at no code has no team either.
int refuse_teams(std::initializer_list<aclshmem_team_t*> teams, const char* call) {
  for (aclshmem_team_t* team : teams) {
    if (team != nullptr) {
      *team = ACLSHMEM_TEAM_INVALID;
    }
  }
  return complain(
      call, ACLSHMEM_NOT_SUPPORTED, "teams other than ACLSHMEM_TEAM_WORLD are not modelled");
}

}  // namespace

extern "C" {

int aclshmemx_init_status(void) {
  return state() != nullptr ? ACLSHMEM_STATUS_IS_INITIALIZED : ACLSHMEM_STATUS_NOT_INITIALIZED;
}

int aclshmemx_get_uniqueid(aclshmemx_uniqueid_t* uid) {
  if (uid == nullptr) {
    return complain(__func__, ACLSHMEM_INVALID_PARAM, "uid is null");
  }
  const char* session = std::getenv("SHMEM_UID_SESSION_ID");
  Endpoint wanted{"127.0.0.1", 0};
  if (session != nullptr && *session != '\0') {
    const std::optional<Endpoint> parsed = parse_host_and_port(session);
    if (!parsed) {
      return complain(__func__,
                      ACLSHMEM_INVALID_VALUE,
                      fmt::format("SHMEM_UID_SESSION_ID=\"{}\" is not host:port", session));
    }
    wanted = *parsed;
  }
  uint16_t port = 0;
  const int listener = bind_listener(wanted.host, wanted.port, port);
  if (listener < 0) {
    return complain(
        __func__,
        ACLSHMEM_BOOTSTRAP_ERROR,
        fmt::format("cannot listen on {}:{}: {}", wanted.host, wanted.port, std::strerror(errno)));
  }
  std::memset(uid, 0, sizeof *uid);
  uid->version = ACLSHMEM_UNIQUEID_VERSION;
  const std::string text = fmt::format("tcp://{}:{}", wanted.host, port);
  std::memcpy(uid->internal, text.c_str(), text.size() + 1);
  bound_listeners()[text] = listener;
  return ACLSHMEM_SUCCESS;
}

int aclshmemx_set_attr_uniqueid_args(int my_pe,
                                     int n_pes,
                                     int64_t local_mem_size,
                                     aclshmemx_uniqueid_t* uid,
                                     aclshmemx_init_attr_t* attr) {
  if (attr == nullptr) {
    return complain(__func__, ACLSHMEM_INVALID_PARAM, "attr is null");
  }
  if (local_mem_size > static_cast<int64_t>(ACLSHMEM_MAX_LOCAL_SIZE) || n_pes > ACLSHMEM_MAX_PES ||
      my_pe >= ACLSHMEM_MAX_PES) {
    return complain(__func__,
                    ACLSHMEM_INVALID_VALUE,
                    fmt::format("PE {} of {}, {} bytes", my_pe, n_pes, local_mem_size));
  }
  *attr = aclshmemx_init_attr_t{};
  attr->my_pe = my_pe;
  attr->n_pes = n_pes;
  attr->local_mem_size = static_cast<uint64_t>(local_mem_size);
  attr->comm_args = uid;
  return ACLSHMEM_SUCCESS;
}

int aclshmemx_init_attr(aclshmemx_bootstrap_t flags, aclshmemx_init_attr_t* attr) {
  if (const int error = check_attributes(attr, __func__); error != 0) {
    return error;
  }
  if (flags == ACLSHMEMX_INIT_WITH_MPI) {
    return complain(__func__,
                    ACLSHMEM_INVALID_VALUE,
                    "bootstrap by MPI is not modelled: use ip_port or a unique id");
  }
  if (flags != ACLSHMEMX_INIT_WITH_DEFAULT && flags != ACLSHMEMX_INIT_WITH_UNIQUEID) {
    return complain(__func__,
                    ACLSHMEM_INVALID_PARAM,
                    fmt::format("bootstrap flags {}", static_cast<unsigned>(flags)));
  }
  if (attr->instance_id != 0) {
    return complain(__func__,
                    ACLSHMEM_NOT_SUPPORTED,
                    "several instances are not modelled: instance_id must be 0");
  }
  if (state() != nullptr) {
    return complain(
        __func__, ACLSHMEM_INNER_ERROR, "initialised already: call aclshmem_finalize first");
  }
  int listener = -1;
  const std::optional<Endpoint> endpoint = endpoint_of(flags, *attr, listener);
  if (!endpoint) {
    return complain(__func__,
                    ACLSHMEM_INVALID_PARAM,
                    fmt::format("ip_port \"{}\" is not tcp://host:port with a port of 1025 to "
                                "65535, and there is no unique id",
                                bounded_text(attr->ip_port, sizeof attr->ip_port)));
  }
  if (current_device() < 0) {
    return complain(__func__,
                    ACLSHMEM_INNER_ERROR,
                    "no device set on this thread: call aclInit and aclrtSetDevice first");
  }
  return join(*attr, *endpoint, listener, __func__);
}

int aclshmem_finalize(void) {
  if (state() == nullptr) {
    return ACLSHMEM_SUCCESS;
  }
  settle_default_stream();
  destroy_stream(state()->default_stream);
  report_unfreed_blocks();
  set_state(nullptr);
  const Status status = leave_job();
  return status.ok() ? ACLSHMEM_SUCCESS : complain(__func__, ACLSHMEM_INNER_ERROR, status.message);
}

void aclshmem_info_get_version(int* major, int* minor) {
  *major = ACLSHMEM_MAJOR_VERSION;
  *minor = ACLSHMEM_MINOR_VERSION;
}

void aclshmem_info_get_name(char* name) {
  constexpr char kName[] = "ACLSHMEM v1.1.1";  // the interface gives no size
  std::memcpy(name, kName, sizeof kName);
}

int32_t aclshmemx_set_config_store_tls_key(
    const char*, const uint32_t, const char*, const uint32_t, const aclshmem_decrypt_handler) {
  return ACLSHMEM_SUCCESS;  // the store is on loopback: nothing to encrypt
}

int32_t aclshmemx_set_conf_store_tls(bool, const char*, const uint32_t) {
  return ACLSHMEM_SUCCESS;
}
void aclshmem_global_exit(int status) {
  abort_job(status, "aclshmem_global_exit");
}
int32_t aclshmemx_set_extern_logger(void (*)(int, const char*)) {
  return ACLSHMEM_SUCCESS;
}
int32_t aclshmemx_set_log_level(int) {
  return ACLSHMEM_SUCCESS;
}

void aclshmemx_show_prof(void) {}  // the simulator has no cycles to show

void aclshmemx_get_prof(aclshmem_prof_pe_t** out, bool) {
  if (out != nullptr) {
    *out = nullptr;
  }
}

int aclshmem_my_pe(void) {
  return job_pe();
}
int aclshmem_n_pes(void) {
  return job_pe_count();
}
int aclshmem_team_my_pe(aclshmem_team_t team) {
  return team == ACLSHMEM_TEAM_WORLD ? job_pe() : -1;
}
int aclshmem_team_n_pes(aclshmem_team_t team) {
  return team == ACLSHMEM_TEAM_WORLD ? job_pe_count() : -1;
}

int aclshmem_team_translate_pe(aclshmem_team_t source, int source_pe, aclshmem_team_t target) {
  const bool known = source == ACLSHMEM_TEAM_WORLD && target == ACLSHMEM_TEAM_WORLD;
  return known && source_pe >= 0 && source_pe < job_pe_count() ? source_pe : -1;
}

int aclshmem_team_split_strided(aclshmem_team_t, int, int, int, aclshmem_team_t* team) {
  return refuse_teams({team}, __func__);
}

int aclshmem_team_split_2d(aclshmem_team_t, int, aclshmem_team_t* x, aclshmem_team_t* y) {
  return refuse_teams({x, y}, __func__);
}

void aclshmem_team_destroy(aclshmem_team_t) {}

uint64_t util_get_ffts_config(void) {
  return 0;
}  // blocks of the simulator need no hardware address to meet

}  // extern "C"

int aclshmemx_finalize(uint64_t instance_id) {
  return instance_id == 0
             ? aclshmem_finalize()
             : complain(__func__, ACLSHMEM_NOT_SUPPORTED, "several instances are not modelled");
}
