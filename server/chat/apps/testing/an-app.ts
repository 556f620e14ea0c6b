import type { App, AppBody, AppDetail } from '#shared/app.ts';

/** The required fields of an app. */
export function aBody(app_name: string, more: Partial<AppBody> = {}): AppBody {
  return { app_name, app_describe: 'What it is for.', team_mode: 'auto_plan', language: 'en', ...more };
}

/** An app as a repository stores it. */
export function anApp(app_code: string, more: Partial<App> = {}): App {
  return {
    app_code,
    app_name: `App ${app_code}`,
    app_describe: '',
    team_mode: 'single_agent',
    language: 'en',
    team_context: null,
    user_code: null,
    sys_code: null,
    is_collected: 'false',
    icon: null,
    created_at: '2026-01-02T03:04:05.006Z',
    updated_at: '2026-01-02T03:04:05.006Z',
    details: [],
    ...more,
  };
}

export function aDetail(node_id: string, more: Partial<AppDetail> = {}): AppDetail {
  return {
    app_code: 'a',
    app_name: 'App a',
    agent_name: 'Writer',
    node_id,
    resources: [{ type: 'awel_flow', name: 'lookup', value: 'lookup', is_dynamic: false }],
    prompt_template: 'Write.',
    llm_strategy: 'priority',
    llm_strategy_value: 'gpt,demo',
    created_at: '2026-01-02T03:04:05.006Z',
    updated_at: '2026-01-02T03:04:05.006Z',
    ...more,
  };
}
