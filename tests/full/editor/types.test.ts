import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** What the editor says of values before anything has run. */
const stage = useStage();

const request = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
};

test('Do ports, edges and completion say what goes through them before the first run, and the problems what cannot?', async () => {
  await stage.putFlow({
    format: 1,
    id: 'typed',
    nodes: {
      trigger: { operator: 'trigger.http', params: { path: '/typed', auth: 'none', request } },
      person: {
        operator: 'core.map',
        params: { value: { label: '{{ input.name }}', years: '{{ input.age }}' } },
      },
      last: { operator: 'text.template', params: { template: 'Hello' } },
    },
    edges: [
      { from: 'trigger.out', to: 'person.in' },
      { from: 'person.out', to: 'last.in' },
    ],
  });
  const page = await stage.visit('/flows/typed');
  const flow = flowPage(page);
  await flow.ready();
  await flow.fit();
  const type = page.locator('code', { hasText: '{label: string, years: integer}' });

  await flow.output('person').hover();
  await expect(type).toBeVisible();
  await flow.input('last').hover();
  await expect(page.getByText('Gets {label: string, years: integer}')).toBeVisible();
  await page.mouse.move(0, 0);
  await expect(type).toBeHidden();

  const { x, y } = await flow.onEdge('person.out', 'last.in', 0.2);
  await page.mouse.move(x, y);
  await expect(type).toBeVisible();
  await flow.selectEdge('person.out', 'last.in');
  await expect(flow.inspector.getByRole('group', { name: 'Type' })).toContainText('{label: string');

  await flow.clickEmpty();
  await flow.select('last');
  await flow.write('params.template', '{{ input.');
  await expect(page.locator('.cm-tooltip-autocomplete')).toContainText('label');
  await flow.key('Escape', 'Mod+a');
  await page.keyboard.insertText('{{ input.lable }}');
  // What is wrong is told once the field is left.
  await flow.key('Tab');
  await expect(flow.inspector.getByText(/`?input\.lable`? never exists/)).toBeVisible();
});
