/** What every plot on the board can do. */

export interface PlotPanel {
  readonly root: HTMLElement;
  /** Names of the columns it shows. */
  columns(): string[];
  /** Takes one more column; false where it cannot. */
  add(name: string): boolean;
  /** New colours or new width: builds the plot anew. */
  rebuild(): void;
  /** Moves the mark of the present instant. */
  tick(): void;
  zoom(): void;
  destroy(): void;
}
