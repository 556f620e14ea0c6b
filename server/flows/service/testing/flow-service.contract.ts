import { afterEach, describe, expect, it } from 'vitest';
import type { FlowService } from '../flow-types.ts';
import type { FixtureChanges } from './flow-fixture.ts';
import { actorNamed, compilingAtOnce, helloFlow } from './flow-fixture.ts';

/** How the contract starts and stops an implementation of `FlowService`. */
export interface ContractFixture {
  readonly service: FlowService;
  end(): Promise<void>;
}

export type MakeService = (
  files: Readonly<Record<string, string>>,
  changes?: FixtureChanges,
) => Promise<ContractFixture>;

const me = { actor: actorNamed('ada') };
const broken = '{ "format": 1, ';
const unknown = helloFlow('a').replace('text.template', 'text.temple');

/** The guarantees of every `FlowService`, however it stores flows. */
export function flowServiceContract(name: string, make: MakeService): void {
  describe(name, () => {
    let fixture: ContractFixture;
    afterEach(() => fixture.end());

    async function started(
      files: Readonly<Record<string, string>> = {},
      changes?: FixtureChanges,
    ): Promise<FlowService> {
      fixture = await make(files, changes);
      return fixture.service;
    }

    savingContract(started);
    draftContract(started);
    versionContract(started);
    limitContract(started);
  });
}

type Started = (files?: Readonly<Record<string, string>>, changes?: FixtureChanges) => Promise<FlowService>;

function savingContract(started: Started): void {
  it('a saved flow is live at once and serves what was saved', async () => {
    const service = await started();
    const saved = await service.save('a', helloFlow('a'), { revision: undefined, ...me });
    expect(saved).toMatchObject({
      id: 'a',
      state: 'live',
      hasDraft: false,
      text: helloFlow('a'),
      problems: [],
    });
    expect(service.live('a')).toMatchObject({ id: 'a', version: saved.version, flow: saved.flow });
    expect(service.live('a')?.compiled.version).toBe(saved.version);
    expect(await service.get('a')).toEqual(saved);
    expect(service.list().map((record) => record.id)).toEqual(['a']);
  });

  it('a text is written in canonical form, whatever form it was saved in', async () => {
    const service = await started();
    const text = JSON.stringify(JSON.parse(helloFlow('a')));
    const saved = await service.save('a', text, { revision: undefined, ...me });
    expect(saved.text).toBe(helloFlow('a'));
  });

  it('saving the same again changes nothing, not even the revision', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const before = await service.get('a');
    const live = service.live('a');
    const saved = await service.save('a', before.text, { revision: before.revision, ...me });
    expect(saved.revision).toBe(before.revision);
    expect(service.live('a')).toBe(live);
  });

  it('creating a flow that exists is a conflict', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const saving = service.save('a', helloFlow('a'), { revision: undefined, ...me });
    await expect(saving).rejects.toMatchObject({ code: 'conflict' });
  });

  it('a save that is based on an old revision is refused, and the answer names the new one', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const { revision } = await service.get('a');
    const second = await service.save('a', helloFlow('a', { says: 'Two' }), { revision, ...me });
    const third = service.save('a', helloFlow('a', { says: 'Three' }), { revision, ...me });
    await expect(third).rejects.toMatchObject({
      code: 'revision_conflict',
      status: 409,
      detail: [{ revision: second.revision }],
    });
    expect((await service.get('a')).text).toContain('Two');
  });

  it('one of many concurrent saves of the same revision succeeds', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const { revision } = await service.get('a');
    const saves = Array.from({ length: 20 }, (_, i) =>
      service.save('a', helloFlow('a', { says: `Save ${i}` }), { revision, ...me }),
    );
    const results = await Promise.allSettled(saves);
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
  });

  it('a flow that does not exist cannot be read, saved, published or removed', async () => {
    const service = await started();
    const missing = { code: 'flow_not_found' };
    await expect(service.get('missing')).rejects.toMatchObject(missing);
    await expect(service.save('missing', '{}', { revision: 'x', ...me })).rejects.toMatchObject(missing);
    await expect(service.publish('missing', { revision: 'x', ...me })).rejects.toMatchObject(missing);
    await expect(service.remove('missing', { revision: 'x' })).rejects.toMatchObject(missing);
    await expect(service.versions('missing')).rejects.toMatchObject(missing);
    expect(service.live('missing')).toBeUndefined();
  });

  it('a removed flow is gone and can be created again', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const { revision } = await service.get('a');
    await service.remove('a', { revision });
    expect(service.live('a')).toBeUndefined();
    expect(service.list()).toEqual([]);
    const saved = await service.save('a', helloFlow('a'), { revision: undefined, ...me });
    expect(saved.state).toBe('live');
  });

  it('a layout is kept beside the flow and changes neither revision nor version', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const before = await service.get('a');
    expect(before.layout).toBeUndefined();
    const layout = {
      format: 1 as const,
      nodes: { trigger: { x: 10, y: 20 } },
      viewport: { x: 0, y: 0, zoom: 2 },
    };
    await service.saveLayout('a', layout);
    expect(await service.get('a')).toEqual({ ...before, layout });
  });
}

function draftContract(started: Started): void {
  it('a text with errors is kept as a draft while the old version serves', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const before = await service.get('a');
    const saved = await service.save('a', unknown, { revision: before.revision, ...me });
    expect(saved).toMatchObject({ state: 'live', hasDraft: true, version: before.version, text: unknown });
    expect(saved.problems).toMatchObject([{ code: 'unknown-operator', severity: 'error', node: 'handler' }]);
    expect(service.live('a')?.version).toBe(before.version);
  });

  it('a text that does not parse is kept as it was sent', async () => {
    const service = await started();
    const saved = await service.save('a', broken, { revision: undefined, ...me });
    expect(saved).toMatchObject({ state: 'draft', hasDraft: true, text: broken, flow: undefined });
    expect(saved.problems[0]).toMatchObject({ code: 'json-syntax' });
    expect(service.live('a')).toBeUndefined();
  });

  it('with manual deployment a save is a draft until it is published', async () => {
    const service = await started({}, { config: { deploy: 'manual' } });
    const saved = await service.save('a', helloFlow('a'), { revision: undefined, ...me });
    expect(saved).toMatchObject({ state: 'draft', hasDraft: true, problems: [] });
    const published = await service.publish('a', { revision: saved.revision, ...me, label: 'first' });
    expect(published).toMatchObject({ state: 'live', hasDraft: false, text: saved.text });
    expect(published.revision).not.toBe(saved.revision);
    expect(await service.versions('a')).toMatchObject([{ author: 'ada', label: 'first', live: true }]);
  });

  it('a save that may only draft goes nowhere live', async () => {
    const service = await started();
    const saved = await service.save('a', helloFlow('a'), { revision: undefined, ...me, mode: 'draft' });
    expect(saved).toMatchObject({ state: 'draft', hasDraft: true, version: undefined });
  });

  it('a draft with errors cannot be published, and the answer lists all problems', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const { revision } = await service.get('a');
    const saved = await service.save('a', unknown, { revision, ...me });
    const publishing = service.publish('a', { revision: saved.revision, ...me });
    await expect(publishing).rejects.toMatchObject({ code: 'flow_invalid', detail: saved.problems });
    expect(await service.get('a')).toEqual(saved);
  });

  it('a discarded draft gives way to the file; a flow that is only a draft keeps it', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const before = await service.get('a');
    const saved = await service.save('a', broken, { revision: before.revision, ...me });
    expect(await service.discardDraft('a', { revision: saved.revision })).toEqual(before);
    const only = await service.save('b', broken, { revision: undefined, ...me });
    await expect(service.discardDraft('b', { revision: only.revision })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await service.get('b')).text).toBe(broken);
  });

  it('a draft can be compiled for a test run without going live', async () => {
    const service = await started({ 'a.json': helloFlow('a') }, { config: { deploy: 'manual' } });
    const { revision } = await service.get('a');
    await service.save('a', helloFlow('a', { says: 'Draft' }), { revision, ...me });
    const draft = await service.draft('a');
    expect(draft.version).not.toBe(service.live('a')?.version);
    expect([...draft.compiled.plans.keys()]).toEqual(['trigger']);
    const { problems } = await service.save('b', broken, { revision: undefined, ...me });
    await expect(service.draft('b')).rejects.toMatchObject({ code: 'flow_invalid', detail: problems });
  });

  it('check judges a text without keeping it', async () => {
    const service = await started();
    expect(service.check(helloFlow('a'))).toMatchObject({ flow: { id: 'a' }, problems: [] });
    expect(service.check(helloFlow('a'), 'b').problems).toMatchObject([{ code: 'id-mismatch' }]);
    expect(service.check(broken).flow).toBeUndefined();
    expect(service.list()).toEqual([]);
  });
}

function versionContract(started: Started): void {
  it('every version that went live is kept with its author, newest first, and can be read', async () => {
    const service = await started();
    const one = await service.save('a', helloFlow('a', { says: 'One' }), {
      revision: undefined,
      actor: actorNamed('ada'),
    });
    const two = await service.save('a', helloFlow('a', { says: 'Two' }), {
      revision: one.revision,
      actor: actorNamed('bob'),
    });
    expect(await service.versions('a')).toMatchObject([
      { version: two.version, author: 'bob', live: true },
      { version: one.version, author: 'ada', live: false },
    ]);
    expect(await service.versionText('a', one.version ?? '')).toBe(one.text);
  });

  it('roll back is one call: a restored version is the file again and serves', async () => {
    const service = await started();
    const one = await service.save('a', helloFlow('a', { says: 'One' }), { revision: undefined, ...me });
    const two = await service.save('a', helloFlow('a', { says: 'Two' }), { revision: one.revision, ...me });
    const back = await service.restore('a', one.version ?? '', {
      revision: two.revision,
      actor: actorNamed('eve'),
    });
    expect(back).toMatchObject({ state: 'live', version: one.version, text: one.text });
    expect(await service.versions('a')).toMatchObject([
      { version: one.version, author: 'eve', live: true },
      { version: two.version, live: false },
    ]);
  });

  it('a version that was never kept is not found, whatever it is called', async () => {
    const service = await started({ 'a.json': helloFlow('a') });
    const { revision } = await service.get('a');
    for (const version of ['0123456789abcdef', '../../a', 'live', '']) {
      await expect(service.versionText('a', version)).rejects.toMatchObject({ code: 'version_not_found' });
      const restoring = service.restore('a', version, { revision, ...me });
      await expect(restoring).rejects.toMatchObject({ code: 'version_not_found' });
    }
  });

  it('a run keeps its version of a flow when a new one goes live', async () => {
    const service = await started({ 'a.json': helloFlow('a', { says: 'One' }) });
    const held = service.live('a');
    const { version } = held ?? {};
    const { revision } = await service.get('a');
    await service.save('a', helloFlow('a', { says: 'Two' }), { revision, ...me });
    expect(held?.version).toBe(version);
    expect(held?.flow.nodes['handler']?.params).toEqual({ template: 'One' });
    expect(held?.compiled.version).toBe(version);
    expect(service.live('a')?.version).not.toBe(version);
  });
}

function limitContract(started: Started): void {
  it('a path that another live flow serves cannot be published, and the answer names both flows', async () => {
    const service = await started({ 'a.json': helloFlow('a', { path: '/same' }) });
    const saved = await service.save('b', helloFlow('b', { path: '/same' }), { revision: undefined, ...me });
    expect(saved).toMatchObject({ state: 'draft', problems: [{ code: 'duplicate-path', node: 'trigger' }] });
    await expect(service.publish('b', { revision: saved.revision, ...me })).rejects.toMatchObject({
      code: 'publish_conflict',
      message: 'Flow b cannot go live: GET /same is served by flow a already.',
    });
    const a = await service.get('a');
    await service.remove('a', { revision: a.revision });
    const published = await service.publish('b', { revision: saved.revision, ...me });
    expect(published).toMatchObject({ state: 'live', problems: [] });
  });

  it('a flow that passes the check but cannot be compiled does not go live', async () => {
    const refuse = () => {
      throw new Error('no plan for this');
    };
    const service = await started({}, { compiling: compilingAtOnce(refuse) });
    const saved = await service.save('a', helloFlow('a'), { revision: undefined, ...me });
    expect(saved).toMatchObject({
      state: 'draft',
      version: undefined,
      problems: [{ code: 'not-supported' }],
    });
    const publishing = service.publish('a', { revision: saved.revision, ...me });
    await expect(publishing).rejects.toMatchObject({
      code: 'flow_invalid',
      detail: [{ code: 'not-supported', message: expect.stringContaining('no plan for this') }],
    });
    expect(service.live('a')).toBeUndefined();
  });

  it('a name that is no id is refused before anything is touched', async () => {
    const service = await started();
    for (const id of ['../evil', 'a/b', 'A', '', '.drafts', `${'x'.repeat(65)}`]) {
      const saving = service.save(id, helloFlow('a'), { revision: undefined, ...me });
      await expect(saving).rejects.toMatchObject({ code: 'invalid_request', param: 'id' });
      await expect(service.get(id)).rejects.toMatchObject({ code: 'flow_not_found' });
    }
    expect(service.list()).toEqual([]);
  });

  it('without an editor everything is served and nothing can be changed', async () => {
    const service = await started({ 'a.json': helloFlow('a') }, { config: { editor: 'off' } });
    const { revision, readOnly } = await service.get('a');
    expect(readOnly).toBe(true);
    expect(service.live('a')).toBeDefined();
    const refused = { code: 'read_only' };
    await expect(service.save('a', '', { revision, ...me })).rejects.toMatchObject(refused);
    await expect(service.publish('a', { revision, ...me })).rejects.toMatchObject(refused);
    await expect(service.restore('a', 'x', { revision, ...me })).rejects.toMatchObject(refused);
    await expect(service.discardDraft('a', { revision })).rejects.toMatchObject(refused);
    await expect(service.remove('a', { revision })).rejects.toMatchObject(refused);
    await expect(service.saveLayout('a', { format: 1, nodes: {} })).rejects.toMatchObject(refused);
  });
}
