import type { App, AppBody, AppDetail, AppDetailBody } from '#shared/app.ts';

/** Fields of an app that its caller does not set. */
export interface Stamp {
  /** Time of the change, ISO 8601. */
  readonly at: string;
  newId(): string;
}

/** An empty app. */
export function blankApp({ at, newId }: Stamp): App {
  return {
    app_code: newId(),
    app_name: '',
    app_describe: '',
    team_mode: 'single_agent',
    language: 'en',
    team_context: null,
    user_code: null,
    sys_code: null,
    is_collected: 'false',
    icon: null,
    created_at: at,
    updated_at: at,
    details: [],
  };
}

/** The app after `body` is applied: omitted fields stay, and null clears one. */
export function applyBody(current: App, body: AppBody, stamp: Stamp): App {
  const { app_name, app_describe, team_mode, language } = body;
  return {
    app_code: current.app_code,
    app_name,
    app_describe,
    team_mode,
    language,
    team_context: kept(body.team_context, current.team_context),
    user_code: kept(body.user_code, current.user_code),
    sys_code: kept(body.sys_code, current.sys_code),
    is_collected: body.is_collected ?? current.is_collected,
    icon: kept(body.icon, current.icon),
    created_at: current.created_at,
    updated_at: stamp.at,
    details: detailsOf(current, body, stamp),
  };
}

function kept(asked: string | null | undefined, current: string | null): string | null {
  return asked === undefined ? current : asked;
}

function detailsOf(current: App, { app_name, details }: AppBody, stamp: Stamp): AppDetail[] {
  if (details === undefined) return current.details.map((detail) => ({ ...detail, app_name }));
  const before = new Map(current.details.map((detail) => [detail.node_id, detail.created_at]));
  return (details ?? []).map((body) => {
    const node_id = body.node_id ?? stamp.newId();
    return {
      app_code: current.app_code,
      app_name,
      agent_name: body.agent_name,
      node_id,
      ...contentOf(body),
      created_at: before.get(node_id) ?? stamp.at,
      updated_at: stamp.at,
    };
  });
}

function contentOf(body: AppDetailBody) {
  return {
    resources: (body.resources ?? []).map(({ type, name, value, is_dynamic, needs_approval }) => ({
      type,
      name,
      value: value ?? '',
      is_dynamic: is_dynamic ?? false,
      ...(needs_approval === true && { needs_approval }),
    })),
    prompt_template: body.prompt_template ?? null,
    llm_strategy: body.llm_strategy ?? 'default',
    llm_strategy_value: body.llm_strategy_value ?? null,
  };
}
