#include <gtest/gtest.h>

#include <vector>

#include "tests/support/kernel_fixture.h"

namespace shmem_sim::ascendc::tests {
namespace {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPad;
using AscendC::DataCopyPadExtParams;
using AscendC::DataCopyParams;
using AscendC::HardEvent;
using AscendC::LocalTensor;
using AscendC::TBuf;
using AscendC::TPipe;
using AscendC::TPosition;
using AscendC::TQue;

std::string failure_of(const std::function<void()>& body) {
  const Status status = run_kernel(1, body);
  reset_device(0);
  return status.message;
}

TEST(ALocalTensor, CanBeSlicedAndReinterpreted) {
  eagerly([] {
    EXPECT_EQ(failure_of([] {
                const LocalTensor<int32_t> tensor(TPosition::VECOUT, 64, 16);
                tensor.SetValue(3, 0x01020304);
                EXPECT_EQ(tensor.GetSize(), 16u);
                EXPECT_EQ(tensor[3].GetValue(0), 0x01020304);
                EXPECT_EQ(tensor[3].GetSize(), 13u);
                EXPECT_EQ(tensor.ReinterpretCast<uint8_t>().GetSize(), 64u);
                EXPECT_EQ(tensor.ReinterpretCast<uint8_t>()(12), 4);
                EXPECT_EQ(tensor.GetPhyAddr(3), tensor.GetPhyAddr() + 3);
                LocalTensor<int32_t> by_hand;
                by_hand.address_.bufferAddr = 64;
                by_hand.address_.dataLen = 64;
                EXPECT_EQ(by_hand(3), 0x01020304);
              }),
              "");
  });
}

TEST(APipeObject, HandsOutBuffersOneBehindTheOther) {
  eagerly([] {
    EXPECT_EQ(failure_of([] {
                TPipe pipe;
                TBuf<TPosition::VECCALC> first;
                TBuf<> second;
                pipe.InitBuffer(first, 33);
                pipe.InitBuffer(second, 64);
                EXPECT_EQ(second.Get<uint8_t>().GetPhyAddr() - first.Get<uint8_t>().GetPhyAddr(),
                          64);
                EXPECT_EQ(first.Get<uint8_t>().GetSize(), 33u);
                EXPECT_EQ(second.Get<int32_t>(4).GetSize(), 4u);
                EXPECT_EQ(second.GetWithOffset<int32_t>(2, 32).address_.bufferAddr, 96u);
                EXPECT_EQ(AscendC::GetTPipePtr(), &pipe);
              }),
              "");
    EXPECT_NE(failure_of([] {
                TPipe pipe;
                TBuf<> buffer;
                pipe.InitBuffer(buffer, 192 * 1024);
                pipe.InitBuffer(buffer, 1);
              }).find("unified-buffer-overflow"),
              std::string::npos);
  });
}

TEST(APipeObject, HandsOutEventIds) {
  eagerly([] {
    const std::string message = failure_of([] {
      TPipe pipe;
      EXPECT_EQ(pipe.AllocEventID<HardEvent::MTE2_V>(), 0);
      EXPECT_EQ(pipe.AllocEventID<HardEvent::MTE2_V>(), 1);
      EXPECT_EQ(pipe.FetchEventID(HardEvent::MTE2_V), 2);
      EXPECT_EQ(pipe.FetchEventID<HardEvent::MTE2_S>(), 0);
      pipe.ReleaseEventID<HardEvent::MTE2_V>(0);
      EXPECT_EQ(pipe.AllocEventID<HardEvent::MTE2_V>(), 0);
      for (int i = 2; i < 9; ++i) {
        pipe.AllocEventID<HardEvent::MTE2_V>();
      }
    });
    EXPECT_NE(message.find("bad-event-id"), std::string::npos);
  });
}

TEST(AQueue, OrdersLoadVectorAndStore) {
  both_ways([] {
    constexpr int kRows = 6;
    int32_t* from = device_numbers(kRows * 256, 100);
    int32_t* to = device_numbers(kRows * 256, 0);
    EXPECT_EQ(failure_of([&] {
                TPipe pipe;
                TQue<TPosition::VECIN, 2> in;
                TQue<TPosition::VECOUT, 2> out;
                pipe.InitBuffer(in, 2, 1024);
                pipe.InitBuffer(out, 2, 1024);
                for (int row = 0; row < kRows; ++row) {
                  LocalTensor<int32_t> loaded = in.AllocTensor<int32_t>();
                  AscendC::DataCopy(loaded, global(from + row * 256), 256);
                  in.EnQue(loaded);
                  LocalTensor<int32_t> source = in.DeQue<int32_t>();
                  LocalTensor<int32_t> result = out.AllocTensor<int32_t>();
                  AscendC::DataCopy(result, source, 256);
                  out.EnQue(result);
                  in.FreeTensor(source);
                  LocalTensor<int32_t> stored = out.DeQue<int32_t>();
                  AscendC::DataCopy(global(to + row * 256), stored, 256);
                  out.FreeTensor(stored);
                }
              }),
              "");
    EXPECT_TRUE(std::equal(from, from + kRows * 256, to));
  });
}

TEST(AQueue, SaysWhatWouldHangOnHardware) {
  eagerly([] {
    using In = TQue<TPosition::VECIN, 1>;
    const auto with_queue = [](const std::function<void(In&)>& body) {
      return failure_of([&] {
        TPipe pipe;
        In queue;
        pipe.InitBuffer(queue, 2, 64);
        body(queue);
      });
    };
    EXPECT_EQ(with_queue([](In& queue) {
                queue.AllocTensor<int8_t>();
                queue.AllocTensor<int8_t>();
                queue.AllocTensor<int8_t>();
              }).find("queue-exhausted"),
              0u);
    EXPECT_EQ(with_queue([](In& queue) { queue.DeQue<int8_t>(); }).find("queue-empty"), 0u);
    EXPECT_EQ(
        with_queue([](In& queue) { queue.FreeTensor(LocalTensor<int8_t>()); }).find("queue-empty"),
        0u);
    EXPECT_EQ(failure_of([] { In().AllocTensor<int8_t>(); }).find("queue-exhausted"), 0u);
  });
}

TEST(ACopyOfBlocks, HasGapsInUnitsOf32Bytes) {
  both_ways([] {
    int32_t* from = device_numbers(64, 0);
    int32_t* to = device_numbers(64, -100);
    EXPECT_EQ(failure_of([&] {
                // 2 rows of 8 elements; 8 elements left out between them at both ends
                AscendC::DataCopy(local(0, 64), global(from), DataCopyParams(2, 1, 1, 2));
                AscendC::SetFlag<HardEvent::MTE2_MTE3>(0);
                AscendC::WaitFlag<HardEvent::MTE2_MTE3>(0);
                AscendC::DataCopy(global(to), local(0, 64), DataCopyParams(2, 1, 2, 3));
              }),
              "");
    EXPECT_EQ(to[0], 0);
    EXPECT_EQ(to[7], 7);
    EXPECT_EQ(to[8], -92);
    EXPECT_EQ(to[32], 16);
    EXPECT_EQ(to[39], 23);
  });
}

TEST(APaddedCopy, MovesAnyNumberOfBytes) {
  both_ways([] {
    int32_t* from = device_numbers(64, 0);
    int32_t* to = device_numbers(64, -100);
    EXPECT_EQ(failure_of([&] {
                // 3 rows of 3 elements, 2 apart; rows of 32 bytes in the buffer
                DataCopyPad(local(32, 64),
                            global(from),
                            DataCopyExtParams(3, 12, 8, 0, 0),
                            DataCopyPadExtParams<int32_t>(false, 0, 0, 0));
                AscendC::SetFlag<HardEvent::MTE2_MTE3>(0);
                AscendC::WaitFlag<HardEvent::MTE2_MTE3>(0);
                DataCopyPad(global(to), local(32, 64), DataCopyExtParams(3, 12, 0, 4, 0));
              }),
              "");
    const std::vector<int32_t> expected = {0, 1, 2, -97, 5, 6, 7, -93, 10, 11, 12, -89};
    EXPECT_EQ(std::vector<int32_t>(to, to + 12), expected);
  });
}

TEST(APaddedCopy, LosesTheRestOfItsLastBlock) {
  adversarially([] {
    int32_t* from = device_numbers(64, 0);
    EXPECT_EQ(failure_of([&] {
                local(0, 64).SetValue(3, 55);
                local(0, 64).SetValue(8, 56);
                DataCopyPad(local(0, 64),
                            global(from),
                            DataCopyExtParams(1, 12, 0, 0, 0),
                            DataCopyPadExtParams<int32_t>(false, 0, 0, 0));
                AscendC::PipeBarrier<PIPE_ALL>();
                EXPECT_EQ(local(0, 64).GetValue(2), 2);
                EXPECT_NE(local(0, 64).GetValue(3), 55);
                EXPECT_EQ(local(0, 64).GetValue(8), 56);
              }),
              "");
  });
}

std::vector<int32_t> buffer_words(uint32_t count) {
  std::vector<int32_t> words;
  for (uint32_t i = 0; i < count; ++i) {
    words.push_back(local(0, 64).GetValue(i));
  }
  return words;
}

TEST(APaddedCopy, PutsTheValueOnBothSidesOfEveryRow) {
  both_ways([] {
    int32_t* from = device_numbers(64, 1);
    EXPECT_EQ(
        failure_of([&] {
          // 2 rows of 3 elements, 1 apart; 2 + 3 + 3 fill a block of 32 bytes
          DataCopyPad(local(0, 64),
                      global(from),
                      DataCopyExtParams(2, 12, 4, 0, 0),
                      DataCopyPadExtParams<int32_t>(true, 2, 3, 9));
          AscendC::PipeBarrier<PIPE_ALL>();
          const std::vector<int32_t> expected = {9, 9, 1, 2, 3, 9, 9, 9, 9, 9, 5, 6, 7, 9, 9, 9};
          EXPECT_EQ(buffer_words(16), expected);
        }),
        "");
  });
}

TEST(APaddedCopy, TakesAlsoTheOlderParameters) {
  both_ways([] {
    int32_t* from = device_numbers(64, 1);
    EXPECT_EQ(failure_of([&] {
                local(0, 64).SetValue(8, 56);
                const AscendC::DataCopyPadParams pad{true, 0, 2, 7};
                DataCopyPad(local(0, 64), global(from), DataCopyParams(1, 24, 0, 0), pad);
                AscendC::PipeBarrier<PIPE_ALL>();
                const std::vector<int32_t> expected = {1, 2, 3, 4, 5, 6, 7, 7, 56};
                EXPECT_EQ(buffer_words(9), expected);
              }),
              "");
  });
}

TEST(APaddedCopy, MakesRoomWithoutAValueWhenNoneIsAsked) {
  both_ways([] {
    int32_t* from = device_numbers(64, 1);
    EXPECT_EQ(failure_of([&] {
                DataCopyPad(local(0, 64),
                            global(from),
                            DataCopyExtParams(1, 12, 0, 0, 0),
                            DataCopyPadExtParams<int32_t>(false, 1, 0, 9));
                AscendC::PipeBarrier<PIPE_ALL>();
                EXPECT_NE(local(0, 64).GetValue(0), 9);
                EXPECT_EQ(local(0, 64).GetValue(1), 1);
                EXPECT_EQ(local(0, 64).GetValue(3), 3);
              }),
              "");
  });
}

TEST(APaddedCopy, PadsAtMostABlockASide) {
  eagerly([] {
    int32_t* from = device_numbers(64, 0);
    const std::string message = failure_of([&] {
      DataCopyPad(local(0, 64),
                  global(from),
                  DataCopyExtParams(1, 12, 0, 0, 0),
                  DataCopyPadExtParams<int32_t>(true, 0, 9, 9));
    });
    EXPECT_EQ(message.find("padding-too-wide: DataCopyPad"), 0u) << message;
  });
}

}  // namespace
}  // namespace shmem_sim::ascendc::tests
