/** Common interface of all plots. */

export interface PlotPanel {
  readonly root: HTMLElement;
  /** Names of the columns it shows. */
  columns(): string[];
  /** Adds a column; returns false if that is not possible. */
  add(name: string): boolean;
  /** Rebuilds the plot after a change of colours or width. */
  rebuild(): void;
  /** Moves the mark of the current time. */
  tick(): void;
  zoom(): void;
  destroy(): void;
}
