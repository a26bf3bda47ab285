/* Attention maps of runs: taken out of the page's data, painted, summed up. */

/* The map [i][j] of a run at one of its moments; head -1: the mean of the heads. */
function mapAt(run, moment, layer, head) {
  const n = run.maps.n_token;
  if (!run.bytes) {
    run.bytes = run.maps.data.map((layers) => layers.map(decodeBytes));
  }
  const bytes = run.bytes[moment][layer];
  const heads = head < 0 ? range(run.maps.n_head) : [head];
  return range(n).map((i) => range(n).map((j) =>
    mean(heads.map((h) => (bytes[(h * n + i) * n + j] / 255) ** 2))));
}

function paintMap(map, attributes) {
  return paintShares(map.length, map.length, (i, j) => map[i][j], attributes);
}

/* The share of attention, averaged over rows, on the position that is `distance` further on a circle. */
function shareAt(map, distance) {
  const n = map.length;
  return mean(map.map((row, i) => row[(i + distance + n) % n]));
}

/* The largest A_ij + A_ji of two different positions. */
function largestPair(map) {
  return Math.max(...map.map((row, i) => Math.max(...row.slice(0, i).map((x, j) => x + map[j][i]), 0)));
}

/* The seeds of a run's task and variant, the run among them. */
function amongSeeds(run) {
  const list = runsOf(run.task, run.variant).map((other) => other.accuracy);
  return { n: list.length, low: Math.min(...list), high: Math.max(...list), mean: mean(list) };
}
