// A checksum against faults of disks, copies and editors, not against those who mean harm. Every word enters by
// s <- (s xor word) k, k odd, and by s <- s xor s >> 32: both are one to one, so bytes that differ within one word
// alone never have the same sum. Others have it once in 2^64.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t nsm_sum(const void *bytes, size_t n) {
  const char *at = bytes;
  uint64_t s = 0x9e3779b97f4a7c15u ^ n;
  for (size_t i = 0; i < n; i += sizeof s) {
    uint64_t word = 0;
    memcpy(&word, at + i, n - i < sizeof word ? n - i : sizeof word);
    s = (s ^ word) * 0xff51afd7ed558ccdu;
    s ^= s >> 32;
  }
  return s;
}
