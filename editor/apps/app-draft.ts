import type { App, AppDetail, AppResource } from '#shared/app.ts';

/** An app while it is being filled in: texts, never null. */
export interface AppDraft {
  readonly name: string;
  readonly description: string;
  readonly mode: App['team_mode'];
  readonly language: App['language'];
  /** With `awel_layout`, the id of the flow that answers. */
  readonly flow: string;
  readonly agents: readonly AgentDraft[];
}

/** An agent of an app while it is being filled in. */
export interface AgentDraft {
  /** Identifies the agent within its app; undefined for a new one. */
  readonly node: string | undefined;
  readonly name: string;
  /** Its instructions; empty for none. */
  readonly prompt: string;
  /** Names of models separated by commas, first choice first. */
  readonly models: string;
  readonly resources: readonly AppResource[];
}

export const NEW_AGENT: AgentDraft = { node: undefined, name: '', prompt: '', models: '', resources: [] };

export const NEW_APP: AppDraft = {
  name: '',
  description: '',
  mode: 'single_agent',
  language: 'en',
  flow: '',
  agents: [{ ...NEW_AGENT, name: 'Assistant' }],
};

/** The form for a stored app. */
export function draftOf(app: App): AppDraft {
  return {
    name: app.app_name,
    description: app.app_describe,
    mode: app.team_mode,
    language: app.language,
    flow: flowIn(app.team_context ?? ''),
    agents: app.details.map(agentOf),
  };
}

function agentOf(detail: AppDetail): AgentDraft {
  return {
    node: detail.node_id,
    name: detail.agent_name,
    prompt: detail.prompt_template ?? '',
    models: detail.llm_strategy_value ?? '',
    resources: detail.resources,
  };
}

/** The id, or the `uid` of an object in the original's format. */
function flowIn(context: string): string {
  try {
    const value = JSON.parse(context) as { uid?: unknown };
    return typeof value.uid === 'string' ? value.uid : context;
  } catch {
    return context;
  }
}

/** The body for a new app, or for a change of `before` that keeps what the form does not have. */
export function bodyOf(draft: AppDraft, before?: App): object {
  const { name, description, mode, language, flow, agents } = draft;
  const isSame = before !== undefined && draftOf(before).flow === flow;
  return {
    app_name: name.trim(),
    app_describe: description,
    team_mode: mode,
    language,
    ...(!isSame && { team_context: flow === '' ? null : flow }),
    details: agents.map((agent) => ({
      agent_name: agent.name.trim(),
      ...(agent.node !== undefined && { node_id: agent.node }),
      prompt_template: agent.prompt === '' ? null : agent.prompt,
      llm_strategy: agent.models.trim() === '' ? 'default' : 'priority',
      llm_strategy_value: agent.models.trim() === '' ? null : agent.models.trim(),
      resources: agent.resources.filter(({ value }) => value.trim() !== ''),
    })),
  };
}

/** Why it cannot be saved yet; undefined if it can. */
export function faultOf({ name, mode, flow, agents }: AppDraft): string | undefined {
  if (name.trim() === '') return 'The app needs a name.';
  if (mode === 'awel_layout' && flow === '') return 'Choose the flow that answers.';
  if (mode === 'auto_plan' && agents.length === 0) return 'A team needs an agent.';
  if (agents.some((agent) => agent.name.trim() === '')) return 'Each agent needs a name.';
  const names = agents.map((agent) => agent.name.trim());
  return new Set(names).size < names.length ? 'Two agents have the same name.' : undefined;
}
