import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import type { App } from '#shared/app.ts';
import { listModels } from '../api/models.ts';
import { ThingsPicker } from '../form/ThingPicker.tsx';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Input, TextArea } from '../ui/Input.tsx';
import { type AgentDraft, NEW_AGENT } from './app-draft.ts';
import { Resources } from './Resources.tsx';

interface AgentsProps {
  mode: App['team_mode'];
  agents: readonly AgentDraft[];
  onChange(agents: readonly AgentDraft[]): void;
}

/** The agents of the app. */
export function Agents({ mode, agents, onChange }: AgentsProps) {
  return (
    <section aria-label="Agents" className="flex min-w-0 flex-col gap-3">
      {agents.map((agent, i) => (
        <Agent
          key={agent.node ?? i}
          number={i + 1}
          agent={agent}
          onChange={(next) => onChange(agents.map((one, at) => (at === i ? next : one)))}
          onRemove={() => onChange(agents.filter((_, at) => at !== i))}
        />
      ))}
      <p className="text-xs text-text-2">{hintOf(mode, agents.length)}</p>
      <Button icon={Plus} className="self-start" onClick={() => onChange([...agents, NEW_AGENT])}>
        Add an agent
      </Button>
    </section>
  );
}

function hintOf(mode: App['team_mode'], count: number): string {
  if (mode === 'auto_plan')
    return 'The plan gives steps to agents by name, so name each one after what it can do. An agent called Planner writes the plan and the report; without one the app uses its own planner.';
  if (count === 0) return 'Without an agent the app answers by itself.';
  return count === 1 ? 'It answers alone.' : 'The first one answers; the others are for a team.';
}

interface AgentProps {
  number: number;
  agent: AgentDraft;
  onChange(agent: AgentDraft): void;
  onRemove(): void;
}

function Agent({ number, agent, onChange, onRemove }: AgentProps) {
  const title = `Agent ${agent.name.trim() || number}`;
  return (
    <section aria-label={title} className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
      <div className="flex items-start gap-3">
        <Field label="Name" required className="flex-1">
          <Input
            maxLength={255}
            value={agent.name}
            onValueChange={(name) => onChange({ ...agent, name })}
            placeholder="Researcher"
          />
        </Field>
        <div className="flex flex-1 flex-col">
          <ModelsInput value={agent.models} onChange={(models) => onChange({ ...agent, models })} />
        </div>
        <IconButton size="sm" icon={Trash2} label={`Remove ${title}`} onClick={onRemove} />
      </div>
      <Field label="Instructions" help="Say what it is, what it may do, and how it should answer.">
        <TextArea
          rows={4}
          maxLength={65_536}
          value={agent.prompt}
          onValueChange={(prompt) => onChange({ ...agent, prompt })}
          placeholder="You look up orders. Answer with the state of the order and nothing else."
        />
      </Field>
      <Resources resources={agent.resources} onChange={(resources) => onChange({ ...agent, resources })} />
    </section>
  );
}

interface ModelsInputProps {
  /** Names separated by commas. */
  value: string;
  onChange(value: string): void;
}

/** The models of an agent, in order. */
function ModelsInput({ value, onChange }: ModelsInputProps) {
  const models = useQuery({ queryKey: ['models'], queryFn: listModels });
  const usual = models.data?.find((model) => model.default)?.id;
  const chosen = value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  return (
    <Field label="Models" help="The next one is used if one is missing or busy.">
      <ThingsPicker
        of="model"
        label="Models"
        values={chosen}
        placeholder={usual && `${usual} (the default)`}
        onChange={(names) => onChange(names.join(', '))}
      />
    </Field>
  );
}
