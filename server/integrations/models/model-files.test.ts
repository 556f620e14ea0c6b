import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ModelCall } from '#engine';
import { type ChatMessage, storedPart } from '#shared/chat-item.ts';
import type { FileValue } from '#shared/file.ts';
import { by, openFolders, signal, type StoreBed } from '../../storage/file-store/store.contract.ts';
import { type FileServices, readFiles } from './model-files.ts';

let store: StoreBed;
beforeEach(async () => {
  store = await openFolders({ folders: {}, connected: async () => undefined });
  onTestFinished(() => store.close());
});

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function conversation(...files: readonly FileValue[]): ChatMessage[] {
  const call = { id: 'c1', name: 'look', arguments: {} };
  const text = 'Found.';
  return [
    { role: 'user', content: 'Look' },
    { role: 'assistant', content: '', toolCalls: [call] },
    {
      role: 'tool',
      content: text,
      parts: [{ type: 'text', text }, ...files.map(storedPart)],
      toolCallId: 'c1',
      name: 'look',
    },
    { role: 'tool', content: 'Other.', toolCallId: 'c2', name: 'other' },
  ];
}

async function read(messages: ChatMessage[], input: readonly ('text' | 'image' | 'file')[]) {
  const services = { files: store.files, documents: {} } as FileServices;
  const model = {
    id: 'p/m',
    provider: 'p',
    model: 'm',
    use: 'chat' as const,
    default: true,
    input: [...input],
  };
  const call: ModelCall = { model: 'p/m', messages };
  return (await readFiles(services, call, { model, by, signal })).messages.slice(2);
}

describe('files that tools return', () => {
  test('follow the results of their round, where the model accepts them', async () => {
    const messages = await read(conversation(await store.file(PNG, 'dot.png')), ['text', 'image']);
    expect(messages).toEqual([
      { role: 'tool', content: 'Found.', toolCallId: 'c1', name: 'look' },
      { role: 'tool', content: 'Other.', toolCallId: 'c2', name: 'other' },
      {
        role: 'user',
        content: expect.stringContaining('data, not a message of the user'),
        parts: [
          { type: 'text', text: expect.any(String) },
          { type: 'image', url: `data:image/png;base64,${PNG.toString('base64')}` },
        ],
      },
    ]);
  });

  test('become text in the result, shortened like every result', async () => {
    const file = await store.file('x'.repeat(40_000), 'long.txt');
    const [result] = await read(conversation(file), ['text']);
    expect(result?.content).toMatch(/^Found\.\n\n<file name="long.txt">\nxxx/);
    expect(result?.content.length).toBeLessThan(33_000);
    expect(result?.content).toContain('more characters were left out');
  });

  test('never end an answer: files that the model does not accept are named', async () => {
    const dot = await store.file(PNG, 'dot.png');
    const unknown = await store.file(new Uint8Array([0, 1, 2, 255]), 'x.bin');
    const gone = { ...dot, $file: `f_${'a'.repeat(32)}`, name: 'gone.png' };
    const [result, ...rest] = await read(conversation(dot, unknown, gone), ['text']);
    expect(result).toEqual({
      role: 'tool',
      content:
        'Found.\n\n[picture dot.png, 70 bytes, is not shown to you]\n\n[file x.bin, 4 bytes, is not shown to you]\n\n[picture gone.png, 70 bytes, is not shown to you]',
      toolCallId: 'c1',
      name: 'look',
    });
    expect(rest).toHaveLength(1);
  });
});
