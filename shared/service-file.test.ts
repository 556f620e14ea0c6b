import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ServiceFile } from './service-file.ts';

const folder = new URL('../server/integrations/services/shipped/', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.json'));

function readService(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
}

describe.each(names)('%s', (name) => {
  test('fits the format, and has the name of its service', () => {
    const read = ServiceFile.safeParse(readService(name));
    expect(read.error?.issues ?? []).toEqual([]);
    expect(`${read.data?.id}.json`).toBe(name);
  });
});
