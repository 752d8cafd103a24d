// What a plot shows besides lines over time: the spectrum of what is seen of a column, and how its time is spread over
// its values. Both are of the range that is zoomed to.

/** In place, of 2^k points: sum_j (re_j + i im_j) exp(-2 pi i j k/n) [Cooley and Tukey 1965]. */
function fourier(re, im) {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) { [re[i], re[j]] = [re[j], re[i]]; [im[i], im[j]] = [im[j], im[i]]; }
  }
  for (let size = 2; size <= n; size *= 2)
    for (let k = 0; k < size / 2; k++) {
      const c = Math.cos(2 * Math.PI * k / size), s = -Math.sin(2 * Math.PI * k / size);
      for (let a = k, b = k + size / 2; a < n; a += size, b += size) {
        const x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;
        re[b] = re[a] - x;
        im[b] = im[a] - y;
        re[a] += x;
        im[a] += y;
      }
    }
}

/** The part of a column that is shown: times and values within the range. */
function seenOf(i) {
  const t = timesOf(i), y = column(i), [lo, hi] = shared.range || [t[0], t[t.length - 1]];
  const from = indexOf(t, lo), to = Math.min(indexOf(t, hi) + 1, t.length);
  return { t: t.subarray(from, to), y: y.subarray(from, to) };
}

/**
 * Amplitudes of a column over frequencies [Hz]: of its values at 2^k equal steps between the first and the last, less
 * their mean, by Hann's window w. A sine of amplitude a has a peak of height a: 2 |sum w y exp|/sum w.
 */
function spectrumOf(i) {
  const MOST = 32768, { t, y } = seenOf(i), none = { x: new Float64Array(0), y: new Float64Array(0) };
  if (t.length < 8 || !(t[t.length - 1] > t[0])) return none;
  const n = 2 ** Math.min(Math.ceil(Math.log2(t.length)), Math.log2(MOST)), span = t[t.length - 1] - t[0];
  const re = new Float64Array(n), im = new Float64Array(n), half = n / 2;
  for (let k = 0, r = 0; k < n; k++) {
    const at = t[0] + span * k / n;
    while (r + 2 < t.length && t[r + 1] <= at) r++;
    re[k] = t[r + 1] > t[r] ? y[r] + (y[r + 1] - y[r]) * (at - t[r]) / (t[r + 1] - t[r]) : y[r];
  }
  const mean = re.reduce((a, b) => a + b, 0) / n;
  for (let k = 0; k < n; k++) re[k] = (re[k] - mean) * (1 - Math.cos(2 * Math.PI * k / n)) / 2;
  fourier(re, im);
  const x = new Float64Array(half), out = new Float64Array(half);
  for (let k = 0; k < half; k++) { x[k] = k / span; out[k] = 4 * Math.hypot(re[k], im[k]) / n; }
  return { x, y: out };
}

/** The share of time [%] that a column spends in each of 60 equal parts of its range, as steps. */
function spreadOf(i) {
  const PARTS = 60, { t, y } = seenOf(i), range = { lo: Infinity, hi: -Infinity };
  extent(y, 0, y.length, false, range);
  const wide = range.hi - range.lo, share = new Float64Array(PARTS);
  if (!(wide > 0) || t.length < 2) return { x: new Float64Array(0), y: new Float64Array(0) };
  const all = t[t.length - 1] - t[0], place = v => (v - range.lo) / wide * PARTS;
  for (let r = 1; r < t.length; r++) {                     // the line between two rows, part by part
    const [a, b] = [place(y[r - 1]), place(y[r])].sort((p, q) => p - q), dt = (t[r] - t[r - 1]) / all * 100;
    if (Number.isNaN(a + b)) continue;
    const first = Math.min(Math.floor(a), PARTS - 1), last = Math.min(Math.floor(b), PARTS - 1);
    for (let p = first; p <= last; p++)
      share[p] += b > a ? dt * Math.max(0, Math.min(b, p + 1) - Math.max(a, p)) / (b - a) : dt;
  }
  const x = [], out = [];
  share.forEach((s, p) => { x.push(range.lo + wide * p / PARTS, range.lo + wide * (p + 1) / PARTS); out.push(s, s); });
  return { x: Float64Array.from(x), y: Float64Array.from(out) };
}
