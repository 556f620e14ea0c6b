import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import type { Owner } from '../../support/client.ts';
import { prepareRuns } from './run-scenes.ts';

/** Pictures of the other screens: waits, keys, models, apps, chat. */
interface Scene {
  readonly page: Page;
  /** `part`: the part to show while a popup is open, since the library then hides the rest of the page. */
  shoot(name: string, part?: string): Promise<void>;
}

export async function serviceScenes(scene: Scene): Promise<void> {
  await waiting(scene);
  await keys(scene);
  await providers(scene);
  await packages(scene);
  await knowledge(scene);
  await evaluations(scene);
  await apps(scene);
  await chat(scene);
}

/** A question, a key, an unreachable provider, and a team. */
export async function prepareService(owner: Owner): Promise<void> {
  await prepareRuns(owner);
  await owner.data('POST', '/flows', { id: 'asks', flow: ASKS });
  await owner.data('POST', '/awel/trigger/asks');
  await owner.data('POST', '/keys', { name: 'deploy', scopes: ['flows:write', 'flows:publish'] });
  const grants = { hosts: ['api.example.com'] };
  await owner.data('PUT', '/secrets/models_key', { value: 'x', grants });
  await owner.data('PUT', '/providers/away', {
    type: 'openai-compatible',
    baseUrl: 'https://models.example.invalid/v1',
    key: { $secret: 'models_key' },
    models: [
      { name: 'large', prices: { input: 2, output: 8 } },
      { name: 'vectors', use: 'embedding' },
    ],
  });
  const space = (await owner.data('POST', '/knowledge/spaces', {
    name: 'Handbook',
    description: 'What everybody here may ask about.',
    model: null,
  })) as { readonly id: string };
  const documents = `/knowledge/spaces/${space.id}/documents`;
  await owner.data('POST', documents, {
    name: 'leave.md',
    text: LEAVE,
    metadata: { year: 2026, kind: 'rules' },
  });
  await owner.data('POST', documents, { name: 'gone', url: 'http://127.0.0.1:9/handbook.html' });
  await owner.data('PUT', '/evaluations/leave_questions', {
    format: 1,
    target: { space: 'Handbook' },
    scorers: [{ kind: 'recall', k: 1 }, { kind: 'recall' }],
    threshold: 0.8,
    cases: [
      { name: 'days', input: 'How many days of leave do I have?', expect: { documents: ['leave.md'] } },
      { name: 'travel', input: 'Who pays for travel?', expect: { documents: ['travel.md'] } },
    ],
  });
  await owner.data('POST', '/evaluations/leave_questions/run', {});
  const agent = (name: string, says: string, more: object = {}) => ({
    agent_name: name,
    prompt_template: `\`\`\`demo\nsay ${says}\n\`\`\``,
    llm_strategy: 'priority',
    llm_strategy_value: 'demo/chat',
    ...more,
  });
  await owner.data('POST', '/app/create', {
    app_name: 'Support desk',
    app_describe: 'Answers customers about their orders.',
    team_mode: 'auto_plan',
    language: 'en',
    details: [
      agent('Researcher', 'Order 7 was sent on Monday.', {
        resources: [{ type: 'awel_flow', name: 'order_triage', value: 'order_triage' }],
      }),
      agent('Writer', 'Your order left us on Monday.'),
    ],
  });
}

const LEAVE = `# Leave

## Days

Everybody has 28 days of leave a year. They can be taken in half days.

## Asking for it

Ask two weeks before, in the calendar. Leave that was not taken is kept until March.`;

const ASKS = {
  format: 1,
  id: 'asks',
  nodes: {
    start: {
      operator: 'trigger.http',
      params: { path: '/asks', methods: ['POST'], auth: 'none', answer: 'immediately' },
    },
    ask: {
      operator: 'human.form',
      params: {
        title: 'Where shall we deliver?',
        text: 'For the order **7**.',
        who: 'the desk',
        data: { customer: 'Ada', amount: 1200 },
        fields: [
          { name: 'name', label: 'Full name', required: true, help: 'As on the door' },
          { name: 'speed', type: 'choice', choices: ['normal', 'express'] },
          { name: 'gift', label: 'Wrap it as a gift', type: 'boolean' },
        ],
        expiresAfter: '3d',
      },
    },
  },
  edges: [{ from: 'start.out', to: 'ask.in' }],
};

async function waiting({ page, shoot }: Scene): Promise<void> {
  await page.goto('/waiting');
  const open = page.getByRole('button', { name: 'Fill in: Where shall we deliver?' });
  await expect(open).toBeVisible();
  await shoot('waiting');
  await open.click();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await shoot('waiting-form');
}

async function keys({ page, shoot }: Scene): Promise<void> {
  await page.goto('/keys');
  await expect(page.getByRole('cell', { name: 'deploy', exact: true })).toBeVisible();
  await shoot('keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(`Order service ${Date.now()}`);
  await dialog.getByRole('checkbox', { name: 'triggers' }).click();
  await shoot('keys-new');
  await dialog.getByRole('button', { name: 'Create the key' }).click();
  await expect(page.getByRole('button', { name: 'Copy the key' })).toBeVisible();
  await shoot('keys-made');
}

export async function knowledge({ page, shoot }: Scene): Promise<void> {
  await page.goto('/knowledge');
  await expect(page.getByRole('link', { name: 'Handbook', exact: true })).toBeVisible();
  await shoot('knowledge');
  await page.getByRole('button', { name: 'New space' }).click();
  await expect(page.getByRole('dialog', { name: 'New space' })).toBeVisible();
  await shoot('knowledge-new');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Handbook', exact: true }).click();
  await expect(page.getByRole('status', { name: 'Status of leave.md' })).toContainText('Ready');
  await expect(page.getByRole('status', { name: 'Status of gone' })).toContainText('Failed');
  await shoot('knowledge-documents');
  await page.getByRole('button', { name: 'leave.md', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'leave.md' }).getByRole('listitem').first()).toBeVisible();
  await shoot('knowledge-chunks');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for leave.md' }).click();
  await page.getByRole('menuitem', { name: 'Metadata…' }).click();
  await expect(page.getByRole('dialog', { name: /^Metadata/ })).toBeVisible();
  await shoot('knowledge-metadata');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByRole('searchbox').fill('How many days of leave do I have?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'leave.md' }).first()).toBeVisible();
  await shoot('knowledge-search');
}

export async function evaluations({ page, shoot }: Scene): Promise<void> {
  await page.goto('/evaluations');
  await expect(page.getByRole('link', { name: 'leave_questions' })).toBeVisible();
  await shoot('evaluations');
  await page.getByRole('button', { name: 'New evaluation' }).click();
  await expect(page.getByRole('dialog', { name: 'New evaluation' })).toBeVisible();
  await shoot('evaluations-new');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'leave_questions' }).click();
  await expect(page.getByRole('region', { name: 'Failing cases' }).getByRole('listitem')).toBeVisible();
  await shoot('evaluation');
}

async function providers({ page, shoot }: Scene): Promise<void> {
  await page.goto('/providers');
  await page.getByRole('button', { name: 'Try demo' }).click();
  await expect(page.getByRole('status')).toContainText('answered');
  await page.getByRole('button', { name: 'Try away' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await shoot('providers');
  await page.getByRole('button', { name: 'Actions for away' }).click();
  await page.getByRole('menuitem', { name: 'Change…' }).click();
  await expect(page.getByRole('button', { name: 'Grant it' })).toBeVisible();
  await shoot('providers-edit');
}

async function packages({ page, shoot }: Scene): Promise<void> {
  await page.goto('/packages');
  await expect(page.getByText('No packages yet')).toBeVisible();
  await shoot('packages-none');
}

async function apps({ page, shoot }: Scene): Promise<void> {
  await page.goto('/apps');
  await expect(page.getByRole('link', { name: 'Support desk' })).toBeVisible();
  await shoot('apps');
  await page.getByRole('link', { name: 'Support desk' }).click();
  await expect(page.getByRole('region', { name: 'Writer' })).toBeVisible();
  await shoot('app');
  await page.goto('/apps/new');
  await expect(page.getByLabel('Models')).toBeVisible();
  await shoot('app-new');
  await page.getByLabel('Models').click();
  await expect(page.getByRole('option').first()).toBeVisible();
  await shoot('app-models', '[role=listbox]');
}

async function chat({ page, shoot }: Scene): Promise<void> {
  await page.goto('/chat?partner=demo/chat');
  await expect(page.getByRole('button', { name: 'Count to 5' })).toBeVisible();
  await shoot('chat-empty');
  const ask = async (text: string): Promise<void> => {
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
  };
  await ask('Count to 12');
  await ask(
    '```demo\nthink The user wants to see Markdown.\nsay Here is **what** I know: `code`, and a [link](https://example.com).\n```',
  );
  await ask('```demo\nfail model_rate_limited\n```');
  await expect(page.getByRole('alert')).toBeVisible();
  await shoot('chat');
  await page.getByRole('button', { name: 'New chat' }).click();
  await page.getByRole('combobox', { name: 'Chat with' }).click();
  await expect(page.getByRole('option').first()).toBeVisible();
  await shoot('chat-with');
  await page.getByRole('option', { name: 'Support desk' }).click();
  await ask('Where is order 7?');
  await page.getByRole('region', { name: 'Plan', exact: true }).locator('summary').first().click();
  await shoot('chat-plan');
}
