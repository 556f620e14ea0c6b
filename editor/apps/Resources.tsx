import { useQuery } from '@tanstack/react-query';
import { BookOpenText, Database, Globe, Plug, Trash2, Workflow } from 'lucide-react';
import type { AppResource } from '#shared/app.ts';
import { listFlows } from '../api/flows.ts';
import { ThingPicker } from '../form/ThingPicker.tsx';
import type { NameKind } from '../model/form/schema-form.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Input } from '../ui/Input.tsx';
import { Select } from '../ui/Select.tsx';
import { Checkbox } from '../ui/Switch.tsx';

interface ResourcesProps {
  resources: readonly AppResource[];
  onChange(resources: readonly AppResource[]): void;
}

const FLOW = ['awel_flow', 'flow'];
const KINDS = [
  { type: 'awel_flow', label: 'Flow', icon: Workflow },
  { type: 'knowledge', label: 'Knowledge', icon: BookOpenText },
  { type: 'database', label: 'Database', icon: Database },
  { type: 'mcp', label: 'MCP server', icon: Plug },
  { type: 'http', label: 'HTTP address', icon: Globe },
] as const;

const PLACEHOLDERS: Readonly<Record<string, string>> = { mcp: 'https://tools.example.com/mcp' };

/** The kind of thing that a tool without an address names. */
const THINGS: Readonly<Record<string, NameKind>> = { knowledge: 'space', database: 'connection' };

/** The tools of an agent: live flows, knowledge spaces, databases, tool servers, addresses. Other types are left unchanged. */
export function Resources({ resources, onChange }: ResourcesProps) {
  const add = (type: string): void =>
    onChange([...resources, { type, name: '', value: '', is_dynamic: false }]);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-xs font-medium">Tools</legend>
      {resources.map((resource, i) => (
        <Resource
          key={i}
          number={i + 1}
          resource={resource}
          onChange={(next) => onChange(resources.map((one, at) => (at === i ? next : one)))}
          onRemove={() => onChange(resources.filter((_, at) => at !== i))}
        />
      ))}
      <div className="flex flex-wrap gap-1.5">
        {KINDS.map(({ type, label, icon }) => (
          <Button key={type} size="sm" icon={icon} onClick={() => add(type)}>
            Add: {label}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}

interface ResourceProps {
  number: number;
  resource: AppResource;
  onChange(resource: AppResource): void;
  onRemove(): void;
}

function Resource({ number, resource, onChange, onRemove }: ResourceProps) {
  const { type, value } = resource;
  const kind = KINDS.find((one) => one.type === type || (FLOW.includes(type) && FLOW.includes(one.type)));
  const label = `${kind?.label ?? type} of tool ${number}`;
  // Other settings of a tool, as DB-GPT writes them, stay a text.
  const thing = value.startsWith('{') ? undefined : THINGS[type];
  const isFlow = FLOW.includes(type) && !value.startsWith('{');
  return (
    <div className="flex items-center gap-2">
      <span className="w-24 shrink-0 text-xs text-text-2">{kind?.label ?? type}</span>
      {isFlow ? (
        <FlowSelect
          label={label}
          flow={value}
          onChange={(id) => onChange({ ...resource, name: id, value: id })}
        />
      ) : thing ? (
        <div className="min-w-0 flex-1">
          <ThingPicker
            of={thing}
            label={label}
            value={value}
            onChange={(name) => onChange({ ...resource, name, value: name })}
          />
        </div>
      ) : (
        <Input
          mono
          aria-label={label}
          value={value}
          onValueChange={(next) => onChange({ ...resource, value: next })}
          placeholder={PLACEHOLDERS[type] ?? 'https://api.example.com/orders/{id}'}
        />
      )}
      <label className="flex shrink-0 items-center gap-1.5 text-xs" title="People must approve each call">
        <Checkbox
          label={`Tool ${number} needs approval`}
          checked={resource.needs_approval === true}
          onCheckedChange={(isOn) => {
            const { needs_approval: _, ...rest } = resource;
            onChange(isOn ? { ...rest, needs_approval: true } : rest);
          }}
        />
        Approve calls
      </label>
      <IconButton size="sm" icon={Trash2} label={`Remove tool ${number}`} onClick={onRemove} />
    </div>
  );
}

/** Callable flows: live ones with a trigger. */
function FlowSelect({ label, flow, onChange }: { label: string; flow: string; onChange(id: string): void }) {
  const flows = useQuery({ queryKey: ['flows'], queryFn: listFlows });
  const live = (flows.data ?? []).filter(
    ({ version, triggers }) => version !== undefined && triggers.length > 0,
  );
  const options = live.map(({ id, name, description }) => ({
    value: id,
    label: name ?? id,
    hint: [name && id, description].filter(Boolean).join(': '),
  }));
  const isLost = flow !== '' && !options.some(({ value }) => value === flow);
  return (
    <Select
      label={label}
      value={flow === '' ? undefined : flow}
      onValueChange={onChange}
      options={isLost ? [...options, { value: flow, label: `${flow} (not live)` }] : options}
      placeholder={flows.isSuccess && live.length === 0 ? 'No flow is live yet' : 'Choose a flow…'}
    />
  );
}
