import { type ComponentType, lazy, type LazyExoticComponent, type ReactNode } from 'react';
import { Hammer } from 'lucide-react';
import { EmptyState } from '../ui/EmptyState.tsx';

/** The parts of the screen that others build; one that is not there yet says so. */
const files = import.meta.glob<Record<string, ComponentType<never>>>([
  '../canvas/Canvas.tsx',
  '../palette/Palette.tsx',
  '../palette/NodePicker.tsx',
  '../inspector/Inspector.tsx',
  '../problems/ProblemsPanel.tsx',
  '../runs/LogPanel.tsx',
  '../runs/RunsPanel.tsx',
  '../runs/RunForm.tsx',
  '../triggers/TriggerPanel.tsx',
]);

function part<P extends object>(path: string, hidden = false): LazyExoticComponent<ComponentType<P>> {
  const name = path.split('/').at(-1)?.replace('.tsx', '') ?? '';
  const load = files[path];
  return lazy(async () => {
    const found = (await load?.())?.[name] as ComponentType<P> | undefined;
    const placeholder = () =>
      hidden ? null : <EmptyState icon={Hammer} title={`${name} is not built yet`} />;
    return { default: found ?? (placeholder as ComponentType<P>) };
  });
}

interface CanvasProps {
  onDropFile?(text: string, name: string): void;
  children?: ReactNode;
}

export const Canvas = part<CanvasProps>('../canvas/Canvas.tsx');
export const Palette = part('../palette/Palette.tsx');
export const NodePicker = part('../palette/NodePicker.tsx', true);
export const Inspector = part('../inspector/Inspector.tsx');
export const ProblemsPanel = part('../problems/ProblemsPanel.tsx');
export const LogPanel = part('../runs/LogPanel.tsx');
export const RunsPanel = part('../runs/RunsPanel.tsx');
export const RunForm = part('../runs/RunForm.tsx', true);
export const TriggerPanel = part('../triggers/TriggerPanel.tsx');
