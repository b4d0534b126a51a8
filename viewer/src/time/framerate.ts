/** Frame rate during playback: measured, with reduced resolution on machines without a graphics card. */

const WINDOW = 600;
const RECENT = 8;
const SLOW_MS = 55;
const COARSE = 0.6;

export class FrameRate {
  private readonly gaps: number[] = [];
  private before: number | null = null;
  private run = 0;
  private coarse = false;

  /** Records a frame; returns the fraction of pixels for the next one. */
  note(now: number, playing: boolean): number {
    if (!playing) {
      this.before = null;
      this.run = 0;
      this.coarse = false;
      return 1;
    }
    if (this.before !== null) {
      this.gaps.push(now - this.before);
      this.run += 1;
      if (this.gaps.length > WINDOW) this.gaps.shift();
    }
    this.before = now;
    if (!this.coarse && this.run >= RECENT) {
      const recent = this.gaps.slice(-RECENT);
      this.coarse = recent.reduce((sum, gap) => sum + gap, 0) / RECENT > SLOW_MS;
    }
    return this.coarse ? COARSE : 1;
  }

  /** Average time between frames, ms. */
  mean(): number {
    return this.gaps.length > 0 ? this.gaps.reduce((sum, gap) => sum + gap, 0) / this.gaps.length : 0;
  }
}
