import { X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { FlowPlaceBody, FlowSummary } from '#shared/api.ts';
import { FlowFolder, FlowTags } from '#shared/flow.ts';
import { placeFlow } from '../api/flow-list.ts';
import { useChange } from '../session/use-change.ts';
import { Field } from '../ui/Field.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { eachFlow } from './each-flow.ts';
import { foldersOf, tagsOf } from './flow-list.ts';

const SuggestInput = lazy(() => import('../ui/SuggestInput.tsx'));

interface PlaceDialogProps {
  kind: 'move' | 'tag';
  flows: readonly FlowSummary[];
  all: readonly FlowSummary[];
  onClose(): void;
}

/** Moves flows to a folder, or changes their tags. Both are written into the flows, so they travel with their files. */
export function PlaceDialog({ kind, ...props }: PlaceDialogProps) {
  return kind === 'move' ? <MoveDialog {...props} /> : <TagDialog {...props} />;
}

const namesOf = (flows: readonly FlowSummary[]): string => {
  const [first] = flows;
  return flows.length === 1 && first ? `“${first.name ?? first.id}”` : countText(flows.length, 'flow');
};

/** Writes it into each flow; what could not be written is told. */
function usePlacing(flows: readonly FlowSummary[], onClose: () => void) {
  const { busy, error, change } = useChange(['flows'], onClose);
  const place = (bodyOf: (flow: FlowSummary) => FlowPlaceBody): Promise<void> =>
    change(async () => {
      const refused = await eachFlow(
        flows.filter(({ readOnly }) => !readOnly),
        (flow) => placeFlow(flow.id, bodyOf(flow)),
      );
      if (refused.length > 0)
        throw new Error(refused.map(({ name, reasons }) => `${name}: ${reasons.join(' ')}`).join('\n'));
    });
  return { busy, error, place };
}

type FormProps = Omit<PlaceDialogProps, 'kind'>;

function MoveDialog({ flows, all, onClose }: FormProps) {
  const { busy, error, place } = usePlacing(flows, onClose);
  const [folder, setFolder] = useState(flows.length === 1 ? (flows[0]?.folder ?? '') : '');
  const wanted = folder.trim();
  const isFine = wanted === '' || FlowFolder.safeParse(wanted).success;
  return (
    <FormDialog
      title={`Move ${namesOf(flows)}`}
      size="sm"
      action="Move"
      isReady={isFine}
      busy={busy}
      error={error ?? (isFine ? undefined : 'Write names with / between them: Sales/Orders.')}
      onSubmit={() => void place(() => ({ folder: wanted === '' ? null : wanted }))}
      onClose={onClose}
    >
      <Field
        label="Folder"
        help="A new name makes a new folder; / makes a folder within one. Empty: no folder."
      >
        <Suspense fallback={<div className="h-7" />}>
          <SuggestInput
            value={folder}
            onValueChange={setFolder}
            options={foldersOf(all).map(({ value }) => value)}
            placeholder="Sales/Orders"
            invalid={!isFine}
          />
        </Suspense>
      </Field>
    </FormDialog>
  );
}

/** Of several flows, the tags that all of them have can be taken away, and others added. */
function TagDialog({ flows, all, onClose }: FormProps) {
  const { busy, error, place } = usePlacing(flows, onClose);
  const [first = [], ...others] = flows.map(({ tags }) => tags ?? []);
  const common = first.filter((tag) => others.every((tags) => tags.includes(tag)));
  const [tags, setTags] = useState<readonly string[]>(common);
  const [text, setText] = useState('');
  const known = tagsOf(all).map(({ value }) => value);
  const next = withTag(tags, text);
  const isFine = FlowTags.safeParse([...next]).success;
  const bodyOf = ({ tags: own = [] }: FlowSummary): FlowPlaceBody => ({
    tags: [...new Set([...own.filter((tag) => !common.includes(tag)), ...next])],
  });
  return (
    <FormDialog
      title={`Tags of ${namesOf(flows)}`}
      size="sm"
      action="Save"
      isReady={isFine}
      busy={busy}
      error={error ?? (isFine ? undefined : 'A tag has at most 40 characters, and a flow at most 20 tags.')}
      onSubmit={() => void place(bodyOf)}
      onClose={onClose}
    >
      <ul aria-label="Tags" className="flex flex-wrap gap-1 empty:hidden">
        {tags.map((tag) => (
          <li key={tag} className="inline-flex max-w-full items-center rounded bg-surface-3 pl-2 text-xs">
            <bdi className="truncate">{tag}</bdi>
            <IconButton
              size="sm"
              icon={X}
              label={`Remove ${tag}`}
              onClick={() => setTags(tags.filter((one) => one !== tag))}
            />
          </li>
        ))}
      </ul>
      <Field label="New tags" help="Separate several with commas.">
        <Suspense fallback={<div className="h-7" />}>
          <SuggestInput
            value={text}
            onValueChange={setText}
            options={known.filter((tag) => !tags.includes(tag))}
            placeholder="customer, beta"
          />
        </Suspense>
      </Field>
    </FormDialog>
  );
}

function withTag(tags: readonly string[], text: string): readonly string[] {
  const more = text
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  return [...new Set([...tags, ...more])];
}
