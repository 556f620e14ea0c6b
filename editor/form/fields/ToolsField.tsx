import { Bot, BookOpenText, Database, Globe, type LucideIcon, Plug, Plus, Workflow } from 'lucide-react';
import { useState } from 'react';
import type { Path } from '#engine/check';
import { type AgentTool, TOOL_KINDS, toolName, toolsIn } from '../../model/form/agent-tools.ts';
import { Button } from '../../ui/Button.tsx';
import { Menu } from '../../ui/Menu.tsx';
import type { NestedProps } from '../FieldFrame.tsx';
import { useForm, useMessages, useValue } from '../form-context.tsx';
import { SwitchedFrame } from '../SwitchedFrame.tsx';
import { ToolRow } from './ToolRow.tsx';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  flow: Workflow,
  http: Globe,
  mcp: Plug,
  knowledge: BookOpenText,
  database: Database,
};

/** What an agent may call: each tool is chosen, described for the model, and tried in place. */
export function ToolsField({ view, ...props }: NestedProps) {
  const { field, path } = props;
  const form = useForm();
  const value = useValue(path);
  const messages = useMessages(field, path, undefined);
  const tools = toolsIn(value);
  const change = (next: readonly AgentTool[], label: string): void =>
    form.set(path, next, label, { merge: false });
  const [added, setAdded] = useState<number>();
  const add = (type: string): void => {
    const names = tools.map(({ name }) => name);
    change([...tools, { type, name: toolName(type, names), value: '' }], 'Add tool');
    setAdded(tools.length);
  };
  return (
    <SwitchedFrame {...props} value={value} messages={messages}>
      {() => (
        <>
          <ToolList {...{ tools, path, added, change, view }} />
          <Menu
            align="start"
            trigger={
              <Button size="sm" icon={Plus} className="self-start">
                Add tool
              </Button>
            }
            entries={TOOL_KINDS.map(({ type, title }) => ({
              id: type,
              label: title,
              icon: ICONS[type] ?? Bot,
              onSelect: () => add(type),
            }))}
          />
        </>
      )}
    </SwitchedFrame>
  );
}

interface ToolListProps extends Pick<NestedProps, 'view'> {
  tools: readonly AgentTool[];
  path: Path;
  /** The place of the one that was added last, which is open. */
  added: number | undefined;
  change(next: readonly AgentTool[], label: string): void;
}

function ToolList({ tools, path, added, change, view }: ToolListProps) {
  if (tools.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1.5">
      {tools.map((tool, at) => (
        <ToolRow
          key={at}
          tool={tool}
          icon={ICONS[tool.type] ?? Bot}
          path={[...path, at]}
          isFresh={added === at}
          taken={tools.filter((_, other) => other !== at).map(({ name }) => name)}
          view={view}
          onRemove={() => change(tools.toSpliced(at, 1), 'Remove tool')}
        />
      ))}
    </ul>
  );
}
