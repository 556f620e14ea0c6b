import { expect, test } from 'vitest';
import { startOperator } from '../../testing/call.ts';
import { exampleServices } from '../../testing/services.ts';
import list from './list.ts';

const entries = ['a', 'b', 'c'].map((path) => ({ path, kind: 'file' as const, bytes: 1, modified: null }));

test.each([
  [2, 2, 1],
  [3, 3, 0],
])(
  'of more than %i entries only so many are listed, and the log reports the rest',
  async (limit, count, warnings) => {
    const { folders, ...services } = exampleServices();
    if (folders === undefined) throw new Error('there are no folders');
    const many = { ...folders, list: async (..._: unknown[]) => entries.slice(0, limit + 1) };
    const setup = { params: { folder: 'inbox', limit }, services: { ...services, folders: many } };
    const { call, result } = startOperator('file.list', list, setup);
    expect(await result).toHaveLength(count);
    expect(call.logs.filter(({ level }) => level === 'warn')).toHaveLength(warnings);
  },
);
