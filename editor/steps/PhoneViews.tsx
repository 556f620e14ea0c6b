import { SegmentedControl } from '../ui/SegmentedControl.tsx';

export type PhoneView = 'steps' | 'canvas';

const VIEWS: readonly { readonly value: PhoneView; readonly label: string }[] = [
  { value: 'steps', label: 'Steps' },
  { value: 'canvas', label: 'Canvas' },
];

/** On a phone: the steps of the flow, or its canvas. */
export function PhoneViews({ shown, onShow }: { shown: PhoneView; onShow(view: PhoneView): void }) {
  return (
    <div className="absolute top-2 left-3 z-6">
      <SegmentedControl label="View" value={shown} onValueChange={onShow} options={VIEWS} />
    </div>
  );
}
