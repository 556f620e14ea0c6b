import { lazy } from 'react';

/** The parts of the screen, each loaded on its own. */
export const Canvas = lazy(() => import('../canvas/Canvas.tsx').then((file) => ({ default: file.Canvas })));
export const Palette = lazy(() =>
  import('../palette/Palette.tsx').then((file) => ({ default: file.Palette })),
);
export const NodePicker = lazy(() =>
  import('../palette/NodePicker.tsx').then((file) => ({ default: file.NodePicker })),
);
export const Inspector = lazy(() =>
  import('../inspector/Inspector.tsx').then((file) => ({ default: file.Inspector })),
);
export const ProblemsPanel = lazy(() =>
  import('../problems/ProblemsPanel.tsx').then((file) => ({ default: file.ProblemsPanel })),
);
export const LogPanel = lazy(() =>
  import('../runs/LogPanel.tsx').then((file) => ({ default: file.LogPanel })),
);
export const RunsPanel = lazy(() =>
  import('../runs/RunsPanel.tsx').then((file) => ({ default: file.RunsPanel })),
);
export const RunForm = lazy(() => import('../runs/RunForm.tsx').then((file) => ({ default: file.RunForm })));
export const TriggerPanel = lazy(() =>
  import('../triggers/TriggerPanel.tsx').then((file) => ({ default: file.TriggerPanel })),
);
export const RunBar = lazy(() => import('../runs/RunBar.tsx').then((file) => ({ default: file.RunBar })));
export const RunConnection = lazy(() =>
  import('../runs/RunConnection.tsx').then((file) => ({ default: file.RunConnection })),
);
