"""The device through the real torch_npu: copies, views, streams, events, memory, fork."""

import os
import unittest

import torch
import torch_npu  # noqa: F401


class Device(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # A child that is forked before the device is used has a device of its own.
        cls.children = []
        for device in (1, 2):
            pid = os.fork()
            if pid == 0:
                torch.set_num_threads(1)
                torch.npu.set_device(device)
                total = (torch.arange(10.0).npu() + device).sum().item()
                os._exit(0 if total == 45 + 10 * device else 1)
            cls.children.append(pid)
        cls.codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in cls.children]
        torch.npu.set_device(0)

    def test_a_forked_child_uses_its_device(self):
        self.assertEqual(self.codes, [0, 0])

    def test_there_are_eight_devices(self):
        self.assertEqual(torch.npu.device_count(), 8)

    def test_pageable_and_pinned_copies_keep_every_byte(self):
        for pinned in (False, True):
            for non_blocking in (False, True):
                host = torch.randint(0, 255, (1 << 20,), dtype=torch.uint8)
                source = host.pin_memory() if pinned else host
                device = source.to("npu", non_blocking=non_blocking)
                back = device.to("cpu", non_blocking=non_blocking)
                torch.npu.synchronize()
                self.assertTrue(torch.equal(back, host))

    def test_pinned_memory_is_told_from_pageable(self):
        self.assertTrue(torch.ones(4).pin_memory().is_pinned())
        self.assertFalse(torch.ones(4).is_pinned())

    def test_views_share_their_storage(self):
        base = torch.zeros(4, 6, device="npu")
        base[1:3, ::2].copy_(torch.ones(2, 3))
        base.t()[5].fill_(7)
        want = torch.zeros(4, 6)
        want[1:3, ::2] = 1
        want.t()[5] = 7
        self.assertTrue(torch.equal(base.cpu(), want))

    def test_a_copy_between_devices(self):
        a = torch.arange(1000, device="npu:0")
        b = a.to("npu:3")
        self.assertEqual(b.device.index, 3)
        self.assertTrue(torch.equal(b.cpu(), torch.arange(1000)))

    def test_a_side_stream_waits_for_the_current_one(self):
        x = torch.zeros(1 << 16, device="npu")
        side = torch.npu.Stream()
        for i in range(50):
            x.add_(1)
            side.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(side):
                y = x * 2
            torch.npu.current_stream().wait_stream(side)
            self.assertEqual(y[0].item(), 2 * (i + 1))

    def test_events_measure_and_tell_when_they_are_reached(self):
        start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
        start.record()
        x = torch.ones(512, 512, device="npu")
        for _ in range(5):
            x = x @ x * 0.001
        end.record()
        end.synchronize()
        self.assertTrue(end.query())
        self.assertGreater(start.elapsed_time(end), 0)

    def test_memory_that_is_recorded_on_a_side_stream_is_not_reused_early(self):
        side = torch.npu.Stream()
        for i in range(30):
            x = torch.full((1 << 14,), float(i), device="npu")
            side.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(side):
                y = x + 1
                x.record_stream(side)
            del x
            torch.full((1 << 14,), -5.0, device="npu")
            side.synchronize()
            self.assertTrue(bool((y == i + 1).all()))

    def test_memory_info_follows_allocation(self):
        free_before, total = torch.npu.mem_get_info()
        x = torch.empty(64 << 20, dtype=torch.uint8, device="npu")
        free_after, _ = torch.npu.mem_get_info()
        self.assertGreaterEqual(free_before - free_after, 64 << 20)
        self.assertEqual(total, 8 << 30)
        del x
        torch.npu.empty_cache()

    def test_more_than_the_device_has_is_out_of_memory(self):
        with self.assertRaises(torch.OutOfMemoryError):
            torch.empty(9 << 30, dtype=torch.uint8, device="npu")
        self.assertEqual(torch.ones(3, device="npu").sum().item(), 3)


if __name__ == "__main__":
    unittest.main()
