import { describe, expect, it } from 'vitest';
import { ProviderBody, type ProviderInfo } from '#shared/model-provider.ts';
import { bodyOf, draftOf, faultsOf, originOf, NO_MODEL, type ProviderDraft } from './provider-draft.ts';

const info: ProviderInfo = {
  id: 'mine',
  type: 'openai-compatible',
  source: 'file',
  baseUrl: 'https://models.example.com/v1',
  key: { $secret: 'token' },
  models: [
    { name: 'big', use: 'chat', prices: { input: 0.15, output: 0.6, cached: 0.075 } },
    { name: 'vectors', use: 'embedding' },
    { name: 'sees', use: 'chat', input: ['text', 'image'], reasoning: true },
  ],
  timeoutMs: 5000,
};
const draft = draftOf(info);
const withModel = (more: Partial<ProviderDraft['models'][number]>): ProviderDraft => ({
  ...draft,
  models: [{ ...NO_MODEL, name: 'a', ...more }],
});

describe('a provider that is opened and saved', () => {
  it('stays as it was', () => {
    const { id: _, source: __, ...body } = info;
    expect(bodyOf(draft)).toEqual(body);
    expect(ProviderBody.parse(bodyOf(draft))).toEqual(body);
  });

  it('keeps the yes to its address, and loses it with another one', () => {
    const near = { ...draft, type: 'ollama', baseUrl: '', allow: '127.0.0.1:11434' } as const;
    expect(bodyOf(near).allow).toBe('127.0.0.1:11434');
    expect(bodyOf({ ...near, baseUrl: 'http://10.0.0.1:11434/v1' })).not.toHaveProperty('allow');
  });

  it('has no models without a name', () => {
    expect(bodyOf({ ...draft, models: [NO_MODEL, { ...NO_MODEL, name: ' a ' }] }).models).toEqual([
      { name: 'a', use: 'chat' },
    ]);
  });
});

describe('faultsOf', () => {
  it('finds none in what can be sent', () => {
    expect(faultsOf(draft, [])).toEqual({});
    expect(faultsOf({ ...draft, type: 'ollama', baseUrl: '' }, [])).toEqual({});
    expect(faultsOf(withModel({ input: '0', output: '1.5' }), [])).toEqual({});
  });

  it.each<[Partial<ProviderDraft>, object]>([
    [{ id: 'Mine' }, { id: expect.stringContaining('lower-case') }],
    [{ baseUrl: 'ftp://a' }, { baseUrl: expect.stringContaining('https://') }],
    [{ baseUrl: '' }, { baseUrl: '' }],
    [{ models: [NO_MODEL] }, { models: '' }],
    [{ models: withModel({ input: '1' }).models }, { models: expect.stringContaining('Prices') }],
    [
      { models: withModel({ input: 'x', output: '1' }).models },
      { models: expect.stringContaining('Prices') },
    ],
    [
      { models: [...withModel({}).models, ...withModel({}).models] },
      { models: expect.stringContaining('twice') },
    ],
  ])('tells what is wrong with %j', (more, faults) => {
    expect(faultsOf({ ...draft, ...more }, [])).toEqual(faults);
  });

  it('knows the names that are taken', () => {
    expect(faultsOf(draft, ['mine'])).toEqual({ id: 'A provider with this name already exists.' });
  });
});

describe('originOf', () => {
  it('is that of the address, else the usual one of the type', () => {
    expect(originOf(draft)).toBe('https://models.example.com');
    expect(originOf({ type: 'anthropic', baseUrl: '' })).toBe('https://api.anthropic.com');
    expect(originOf({ type: 'ollama', baseUrl: 'nonsense' })).toBeUndefined();
  });
});
