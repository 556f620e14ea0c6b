import { createHash } from 'node:crypto';

const DIMENSIONS = 64;

/**
 * A vector of length 1 for a text, always the same: words are hashed into 64 bins, so that texts with common words
 * are near each other. A text without words is the first axis.
 */
export function demoVector(text: string): number[] {
  const bins = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const hash = createHash('sha256').update(word).digest();
    const bin = hash.readUInt8(0) % DIMENSIONS;
    bins[bin] = (bins[bin] ?? 0) + (hash.readUInt8(1) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...bins);
  return length === 0 ? bins.map((_, index) => (index === 0 ? 1 : 0)) : bins.map((value) => value / length);
}
