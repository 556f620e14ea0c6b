import { describe, expect, it } from 'vitest';
import { type App, AppBody } from '#shared/app.ts';
import { type AppDraft, bodyOf, draftOf, faultOf, NEW_AGENT, NEW_APP } from './app-draft.ts';

const at = '2026-01-01T00:00:00.000Z';
const app: App = {
  app_code: 'c',
  app_name: 'Desk',
  app_describe: 'Answers.',
  team_mode: 'auto_plan',
  language: 'en',
  team_context: null,
  user_code: 'u',
  sys_code: null,
  is_collected: 'false',
  icon: null,
  created_at: at,
  updated_at: at,
  details: [
    {
      app_code: 'c',
      app_name: 'Desk',
      agent_name: 'Looker',
      node_id: 'n1',
      resources: [{ type: 'awel_flow', name: 'orders', value: 'order_lookup', is_dynamic: false }],
      prompt_template: 'Look.',
      llm_strategy: 'priority',
      llm_strategy_value: 'a/b,demo/chat',
      created_at: at,
      updated_at: at,
    },
  ],
};

describe('an app that is opened and saved', () => {
  it('stays as it was, with the ids of its agents', () => {
    const body = AppBody.parse(bodyOf(draftOf(app), app));
    expect(body).toMatchObject({ app_name: 'Desk', team_mode: 'auto_plan', language: 'en' });
    const { node_id, resources, prompt_template, llm_strategy, llm_strategy_value } = app.details[0] ?? {};
    expect(body.details).toEqual([
      { agent_name: 'Looker', node_id, resources, prompt_template, llm_strategy, llm_strategy_value },
    ]);
  });

  it('keeps a flow that the original has written as an object', () => {
    const layout: App = { ...app, team_mode: 'awel_layout', team_context: '{"uid":"answers","x":1}' };
    expect(draftOf(layout).flow).toBe('answers');
    expect(bodyOf(draftOf(layout), layout)).not.toHaveProperty('team_context');
    expect(bodyOf({ ...draftOf(layout), flow: 'other' }, layout)).toHaveProperty('team_context', 'other');
  });
});

describe('a new app', () => {
  it('is sent without what was left empty', () => {
    const resources = [{ type: 'mcp', name: '', value: ' ', is_dynamic: false }];
    const draft = { ...NEW_APP, name: ' Desk ', agents: [{ ...NEW_AGENT, name: 'A', resources }] };
    expect(AppBody.parse(bodyOf(draft))).toMatchObject({
      app_name: 'Desk',
      team_context: null,
      details: [{ agent_name: 'A', prompt_template: null, llm_strategy: 'default', resources: [] }],
    });
  });
});

describe('faultOf', () => {
  const good: AppDraft = { ...NEW_APP, name: 'Desk' };

  it('finds nothing wrong with one agent, or none at all', () => {
    expect(faultOf(good)).toBeUndefined();
    expect(faultOf({ ...good, agents: [] })).toBeUndefined();
  });

  it.each<[Partial<AppDraft>, string]>([
    [{ name: ' ' }, 'The app needs a name.'],
    [{ mode: 'awel_layout' }, 'Choose the flow that answers.'],
    [{ mode: 'auto_plan', agents: [] }, 'A team needs an agent.'],
    [{ agents: [NEW_AGENT] }, 'Each agent needs a name.'],
    [{ agents: [...NEW_APP.agents, ...NEW_APP.agents] }, 'Two agents have the same name.'],
  ])('says of %j: %s', (more, fault) => {
    expect(faultOf({ ...good, ...more })).toBe(fault);
  });
});
