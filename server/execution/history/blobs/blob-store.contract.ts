import { hash as hashOf } from 'node:crypto';
import { fc } from '../../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import type { BlobStore, KeptValue } from './blob-store.ts';

export function valueOf(json: string): KeptValue {
  return { hash: hashOf('sha256', json, 'hex'), json };
}

/** The contract of every blob store. `make` returns an empty one. */
export function blobStoreContract(name: string, make: () => BlobStore): void {
  describe(`blobs ${name}`, () => {
    test('come back as they were put, and as undefined when they were not', () => {
      const blobs = make();
      const value = valueOf(JSON.stringify('ünï \ud83d\ude00'));
      expect(blobs.put(value)).toBe(Buffer.byteLength(value.json));
      expect(blobs.get(value.hash)).toBe(value.json);
      expect(blobs.get(valueOf('other').hash)).toBeUndefined();
    });

    test('take room once, however often they are put, and free it once', () => {
      const blobs = make();
      const value = valueOf('"twice"');
      expect([blobs.put(value), blobs.put(value), blobs.bytes]).toEqual([7, 0, 7]);
      expect([blobs.remove(value.hash), blobs.remove(value.hash), blobs.bytes]).toEqual([7, 0, 0]);
      expect(blobs.get(value.hash)).toBeUndefined();
    });

    test('count exactly those that were put and not removed', () => {
      const step = fc.tuple(fc.boolean(), fc.constantFrom('"a"', '"bb"', '"ccc"', '"ü"'));
      const keeps = fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const blobs = make();
        const held = new Set<string>();
        for (const [puts, json] of steps) {
          if (puts) blobs.put(valueOf(json));
          else blobs.remove(valueOf(json).hash);
          if (puts) held.add(json);
          else held.delete(json);
        }
        const texts = blobs.hashes().map((hash) => blobs.get(hash));
        expect(new Set(texts)).toEqual(held);
        expect(blobs.bytes).toBe([...held].reduce((sum, json) => sum + Buffer.byteLength(json), 0));
      });
      fc.assert(keeps, { numRuns: 30 });
    });
  });
}
