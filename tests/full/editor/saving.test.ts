import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { freshId, lineFlow, openRow, openTab } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Where publishing is a step of its own: what is saved, what is live, and whose edits hold. */
const stage = useStage({ WEFT_DEPLOY: 'manual' });

const answer = async ({ id }: FlowPage): Promise<string> =>
  (await call(stage.server, `/${id()}?name=Bo`)).text;

/** A flow of its own, published and open. */
async function published(): Promise<FlowPage> {
  const flow = await openRow(stage, freshId(), lineFlow);
  await flow.publish();
  return flow;
}

async function edit(flow: FlowPage, text: string): Promise<void> {
  await flow.select('first');
  await flow.write('params.template', text);
}

describe('Publishing', () => {
  test('Does saving leave alone what is live, and does publishing put it live?', async () => {
    const flow = await published();
    expect(await answer(flow)).toContain('Hello Bo!');
    await edit(flow, 'Welcome');
    await flow.save();
    expect(await answer(flow)).toContain('Hello Bo!');
    await flow.publish();
    expect(await answer(flow)).toContain('Welcome!');
    await expect(flow.page.getByRole('button', { name: 'Publish' })).toBeDisabled();
  });

  test('Does discarding the draft bring back what is live, and undo what was discarded?', async () => {
    const flow = await published();
    await edit(flow, 'A bad idea');
    await flow.save();
    await flow.page.getByRole('button', { name: 'More', exact: true }).click();
    await flow.page.getByRole('menuitem', { name: 'Discard the draft' }).click();
    await expect(flow.field('params.template')).toContainText('Hello {{ input.name }}');
    await flow.saved();
    expect(await answer(flow)).toContain('Hello Bo!');
    await flow.canvas.focus();
    await flow.key('Mod+z');
    await expect(flow.field('params.template')).toContainText('A bad idea');
    await flow.save();
    expect((await stage.owner.api('GET', `/flows/${flow.id()}`)).text).toContain('A bad idea');
  });
});

describe('A conflict', () => {
  test('Can mine be kept over theirs, and is theirs then known to the other tab?', async () => {
    const flow = await openRow(stage);
    await flow.saveByHand();
    const other = await openTab(flow.page, `/flows/${flow.id()}`);
    await flow.page.bringToFront();
    await edit(flow, 'Mine');
    await other.page.bringToFront();
    await edit(other, 'Theirs');
    await other.save();
    await flow.page.bringToFront();
    await flow.key('Mod+s');
    const dialog = flow.page.getByRole('dialog', { name: 'This flow was changed elsewhere' });
    await dialog.getByRole('button', { name: 'Keep mine, overwrite theirs' }).click();
    await flow.saved();
    const text = async () => (await stage.owner.api('GET', `/flows/${flow.id()}`)).text;
    expect(await text()).toContain('Mine');
    expect(await text()).not.toContain('Theirs');
    await other.page.bringToFront();
    await expect(other.field('params.template')).toContainText('Mine');
    await other.saved();
  });

  test('Does a copy of mine go on as the flow that is open, refused under an id that is taken?', async () => {
    const flow = await openRow(stage);
    await flow.saveByHand();
    const taken = freshId();
    await stage.putFlow({ format: 1, id: taken, nodes: {}, edges: [] });
    const other = await openTab(flow.page, `/flows/${flow.id()}`);
    await flow.page.bringToFront();
    await edit(flow, 'Mine');
    await other.page.bringToFront();
    await edit(other, 'Theirs');
    await other.save();
    await flow.page.bringToFront();
    await flow.key('Mod+s');
    await flow.page.getByRole('button', { name: 'Save mine as a copy…' }).click();
    const dialog = flow.page.getByRole('dialog', { name: 'Save mine as a copy' });
    await dialog.getByLabel('Id of the copy').fill(taken);
    await dialog.getByRole('button', { name: 'Save the copy' }).click();
    await expect(flow.page.getByText(/exists|taken/).first()).toBeVisible();
    await expect(dialog).toBeVisible();
    const copy = freshId();
    await dialog.getByLabel('Id of the copy').fill(copy);
    await dialog.getByRole('button', { name: 'Save the copy' }).click();
    await expect(flow.page).toHaveURL(new RegExp(`/flows/${copy}$`));
    await flow.ready();
    await flow.select('first');
    await expect(flow.field('params.template')).toContainText('Mine');
    await flow.saved();
  });
});

describe('Places', () => {
  test('Are the places of two tabs brought together node by node, so that neither loses its own?', async () => {
    const flow = await openRow(stage);
    const other = await openTab(flow.page, `/flows/${flow.id()}`);
    await other.node('lone').focus();
    await other.key('Space', 'ArrowDown');
    await other.save();
    await flow.page.bringToFront();
    await flow.node('second').focus();
    await flow.key('Space', 'ArrowRight');
    await flow.save();
    const { data } = (await stage.owner.api('GET', `/flows/${flow.id()}`)).body as {
      data: { layout: { nodes: Record<string, object> } };
    };
    expect(data.layout.nodes).toMatchObject({ lone: { x: 340, y: 210 }, second: { x: 690, y: 0 } });
    await expect.poll(() => flow.placeOf('lone')).toEqual({ x: 340, y: 210 });
  });
});
