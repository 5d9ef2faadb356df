import { nodeTime } from './clock.ts'
import { layOut, type Layout, type Place } from './layout.ts'
import type { Model, Row } from './model.ts'
import { shortId } from './words.ts'

/** The time for which a member's change is visible in the picture, ms. Guess. */
const FADES: Readonly<Record<Row['state'], number>> = { here: 4_000, left: 5_000, died: 12_000 }
/**
 * The time of a move to a new place, ms, where there are few enough members and links. Guess: long
 * enough to be followed.
 */
const MOVE = 500
const MOVING_LIMIT = 3_000
/** The number of members above which the picture shows no names. Guess. */
const NAMES_LIMIT = 40
/**
 * The least time between two drawings of the links of a large pool, ms. Measured: 6,000 take 20 ms
 * without a graphics processor.
 */
const LINKS_TIME = 250

const COLOURS = ['text', 'muted', 'line', 'edge', 'panel', 'accent', 'good', 'bad', 'warn'] as const
type Colour = (typeof COLOURS)[number]

/**
 * The overlay as Figure 9 of the JEL paper shows it: members by site, each site with a colour of
 * its own, and the links between members.
 */
export class Picture {
  readonly #model: Model
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  readonly #links = document.createElement('canvas')
  readonly #pick: (id: string | undefined) => void
  #colours = {} as Record<Colour, string>
  #hues: readonly string[] = []
  #layout: Layout = { places: new Map(), sites: [], spacing: 1 }
  #from: ReadonlyMap<string, Place> = new Map()
  /** The places as last drawn, including those of members that still fade. */
  readonly #places = new Map<string, Place>()
  #movedAt = -Infinity
  #drawn = ''
  #drawnAt = -Infinity
  #layoutVersion = -1
  /** The time at which the first member that is gone loses its place, on the clock of the node. */
  #fadedAt = Infinity
  #hovered: string | undefined
  #selected: string | undefined
  #dirty = true

  /** `pick` gets the id of the member that was clicked. */
  constructor(model: Model, canvas: HTMLCanvasElement, pick: (id: string | undefined) => void) {
    this.#model = model
    this.#canvas = canvas
    this.#context = canvas.getContext('2d') as CanvasRenderingContext2D
    this.#pick = pick
    this.recolour()
    new ResizeObserver(() => this.#resize()).observe(canvas)
    canvas.addEventListener('mousemove', ({ offsetX, offsetY }) => this.#hover(this.#at(offsetX, offsetY)))
    canvas.addEventListener('mouseleave', () => this.#hover(undefined))
    canvas.addEventListener('click', ({ offsetX, offsetY }) => this.#pick(this.#at(offsetX, offsetY)))
  }

  /** Takes the colours of the page, which depend on the theme. */
  recolour(): void {
    const style = getComputedStyle(document.documentElement)
    const read = (name: string): string => style.getPropertyValue(`--${name}`).trim()
    this.#colours = Object.fromEntries(COLOURS.map((name) => [name, read(name)])) as Record<Colour, string>
    this.#hues = Array.from({ length: 8 }, (_, i) => read(`site-${i}`))
    this.#drawn = ''
    this.touch()
  }

  /** Requests a redraw. */
  touch(): void {
    this.#dirty = true
  }

  select(id: string | undefined): void {
    this.#selected = id
    this.touch()
  }

  hueOf(site: string): string {
    const at = this.#layout.sites.indexOf(site)
    return this.#hues[at % this.#hues.length] ?? this.#colours.accent
  }

  get sites(): readonly string[] {
    return this.#layout.sites
  }

  /** Draws if anything has changed. */
  draw(): void {
    const model = this.#model
    if (model.membersVersion !== this.#layoutVersion || nodeTime() >= this.#fadedAt) this.#arrange()
    const now = performance.now()
    const isMoving = now - this.#movedAt < MOVE
    const fading = [...model.rows.values()].filter(({ state, since }) => nodeTime() - since < FADES[state])
    if (!this.#dirty && !isMoving && fading.length === 0 && !this.#linksAreOld) return
    this.#dirty = false
    this.#move(now)
    this.#drawLinks(now, isMoving)
    const context = this.#context
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height)
    context.drawImage(this.#links, 0, 0)
    this.#scale(context)
    this.#drawFocus(context)
    this.#drawMembers(context)
    for (const row of fading) this.#drawFading(context, row)
    this.#drawNames(context)
  }

  get #linksAreOld(): boolean {
    return this.#drawn !== `${this.#model.membersVersion} ${this.#model.linksVersion}`
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#canvas
    const ratio = devicePixelRatio
    for (const canvas of [this.#canvas, this.#links]) {
      canvas.width = Math.round(clientWidth * ratio)
      canvas.height = Math.round(clientHeight * ratio)
    }
    this.#drawn = ''
    this.touch()
  }

  #arrange(): void {
    const model = this.#model
    this.#layoutVersion = model.membersVersion
    // A member that is gone keeps its place until it has faded.
    const now = nodeTime()
    const shown = [...model.rows.values()].filter(({ state, since }) => state === 'here' || now - since < FADES[state])
    this.#fadedAt = Math.min(...shown.map(({ state, since }) => (state === 'here' ? Infinity : since + FADES[state])))
    this.#layout = layOut(shown)
    this.#from = new Map(this.#places)
    this.#movedAt = shown.length + model.edges.length > MOVING_LIMIT || this.#from.size === 0 ? -Infinity : performance.now()
    this.touch()
  }

  #move(now: number): void {
    const share = Math.min(1, (now - this.#movedAt) / MOVE)
    const eased = 1 - (1 - share) ** 3
    for (const id of this.#places.keys()) if (!this.#model.rows.has(id)) this.#places.delete(id)
    for (const [id, { x, y }] of this.#layout.places) {
      const from = this.#from.get(id)
      this.#places.set(id, from === undefined ? { x, y } : { x: from.x + (x - from.x) * eased, y: from.y + (y - from.y) * eased })
    }
  }

  #scale(context: CanvasRenderingContext2D): void {
    const ratio = devicePixelRatio
    const { clientWidth, clientHeight } = this.#canvas
    context.setTransform(ratio, 0, 0, ratio, (clientWidth / 2) * ratio, (clientHeight / 2) * ratio)
  }

  get #radius(): number {
    const { clientWidth, clientHeight } = this.#canvas
    // This leaves room for names.
    const [beside, above] = this.#layout.places.size <= NAMES_LIMIT ? [80, 28] : [14, 14]
    return Math.max(40, Math.min(clientWidth / 2 - beside, clientHeight / 2 - above))
  }

  #drawLinks(now: number, isMoving: boolean): void {
    const { edges, membersVersion, linksVersion } = this.#model
    const isLarge = edges.length > MOVING_LIMIT
    if (!isMoving && (!this.#linksAreOld || (isLarge && now - this.#drawnAt < LINKS_TIME))) return
    this.#drawn = isMoving ? '' : `${membersVersion} ${linksVersion}`
    this.#drawnAt = now
    const context = this.#links.getContext('2d') as CanvasRenderingContext2D
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, this.#links.width, this.#links.height)
    this.#scale(context)
    context.strokeStyle = this.#colours.edge
    context.lineWidth = isLarge ? 0.5 : 1
    context.globalAlpha = Math.min(1, Math.max(0.12, 30 / Math.sqrt(edges.length + 1) / 2))
    context.beginPath()
    for (const { from, to } of edges) this.#line(context, from, to)
    context.stroke()
    context.globalAlpha = 1
  }

  #line(context: CanvasRenderingContext2D, from: string, to: string): void {
    const [one, other] = [this.#places.get(from), this.#places.get(to)]
    if (one === undefined || other === undefined) return
    const radius = this.#radius
    context.moveTo(one.x * radius, one.y * radius)
    context.lineTo(other.x * radius, other.y * radius)
  }

  /** Draws the links of the member under the pointer, or of the selected one. */
  #drawFocus(context: CanvasRenderingContext2D): void {
    const id = this.#hovered ?? this.#selected
    if (id === undefined || !this.#places.has(id)) return
    context.strokeStyle = this.#colours.accent
    context.lineWidth = 1.5
    context.beginPath()
    for (const { from, to } of this.#model.edges) if (from === id || to === id) this.#line(context, from, to)
    context.stroke()
  }

  #drawMembers(context: CanvasRenderingContext2D): void {
    const { places, sites } = this.#layout
    const radius = this.#radius
    const dot = this.#dot
    const paths = new Map<string, Path2D>(sites.map((site) => [site, new Path2D()]))
    for (const id of places.keys()) {
      const { x, y } = this.#places.get(id) as Place
      const row = this.#model.rows.get(id)
      if (row?.state !== 'here') continue
      const path = paths.get(row.site)
      path?.moveTo(x * radius + dot, y * radius)
      path?.arc(x * radius, y * radius, dot, 0, 2 * Math.PI)
    }
    for (const [site, path] of paths) {
      context.fillStyle = this.hueOf(site)
      context.fill(path)
    }
    const self = this.#model.self?.id
    const winners = new Set([...this.#model.roles.values()].map(({ id }) => id))
    for (const id of winners) this.#ring(context, id, dot + 3, 2, this.#colours.warn)
    if (self !== undefined) this.#ring(context, self, dot + 1, 1.5, this.#colours.text)
    const focus = this.#hovered ?? this.#selected
    if (focus !== undefined) this.#ring(context, focus, dot + 5, 2, this.#colours.accent)
  }

  get #dot(): number {
    return Math.min(7, Math.max(2, this.#layout.spacing * this.#radius * 0.32))
  }

  #ring(context: CanvasRenderingContext2D, id: string, size: number, width: number, colour: string): void {
    const place = this.#places.get(id)
    if (place === undefined) return
    context.strokeStyle = colour
    context.lineWidth = width
    context.beginPath()
    context.arc(place.x * this.#radius, place.y * this.#radius, size, 0, 2 * Math.PI)
    context.stroke()
  }

  /**
   * Draws recent changes: a ring for a newcomer, a fading dot for a leaver, a cross for a death.
   */
  #drawFading(context: CanvasRenderingContext2D, { id, state, since }: Row): void {
    const place = this.#places.get(id)
    if (place === undefined) return
    const share = (nodeTime() - since) / FADES[state]
    const [x, y, dot] = [place.x * this.#radius, place.y * this.#radius, Math.max(4, this.#dot)]
    context.globalAlpha = Math.max(0, 1 - share)
    if (state === 'here') this.#ring(context, id, dot + 2 + 18 * share, 2, this.#colours.good)
    else {
      context.fillStyle = context.strokeStyle = state === 'died' ? this.#colours.bad : this.#colours.muted
      context.lineWidth = 2.5
      context.beginPath()
      if (state === 'died') {
        context.moveTo(x - dot, y - dot)
        context.lineTo(x + dot, y + dot)
        context.moveTo(x + dot, y - dot)
        context.lineTo(x - dot, y + dot)
        context.stroke()
        this.#ring(context, id, dot + 4 + 22 * Math.min(1, share * 3), 1.5, this.#colours.bad)
      } else {
        context.arc(x, y, dot, 0, 2 * Math.PI)
        context.fill()
      }
    }
    context.globalAlpha = 1
  }

  #drawNames(context: CanvasRenderingContext2D): void {
    const { rows } = this.#model
    context.font = '11px ui-monospace, Menlo, Consolas, monospace'
    context.textBaseline = 'middle'
    context.fillStyle = this.#colours.text
    const all = this.#layout.places.size <= NAMES_LIMIT ? [...this.#places.keys()] : [this.#hovered ?? this.#selected ?? '']
    for (const id of all) {
      const place = this.#places.get(id)
      const row = rows.get(id)
      if (place === undefined || row === undefined) continue
      const age = nodeTime() - row.since
      context.globalAlpha = row.state === 'here' ? 0.85 : Math.max(0, 0.85 * (1 - age / FADES[row.state]))
      const reach = this.#dot + 8
      const [x, y] = [place.x * this.#radius, place.y * this.#radius]
      context.textAlign = place.x < -0.25 ? 'right' : place.x > 0.25 ? 'left' : 'center'
      const dx = place.x < -0.25 ? -reach : place.x > 0.25 ? reach : 0
      context.fillText(shortId(id), x + dx, dx === 0 ? y + (place.y < 0 ? -reach - 4 : reach + 4) : y)
    }
    context.globalAlpha = 1
  }

  /** Returns the id of the member at this position, in pixels. */
  #at(x: number, y: number): string | undefined {
    const { clientWidth, clientHeight } = this.#canvas
    const radius = this.#radius
    let nearest: string | undefined
    let distance = 12
    for (const id of this.#layout.places.keys()) {
      const place = this.#places.get(id)
      if (place === undefined) continue
      const away = Math.hypot(place.x * radius + clientWidth / 2 - x, place.y * radius + clientHeight / 2 - y)
      if (away < distance) [nearest, distance] = [id, away]
    }
    return nearest
  }

  #hover(id: string | undefined): void {
    if (id === this.#hovered) return
    this.#hovered = id
    this.#canvas.style.cursor = id === undefined ? 'default' : 'pointer'
    const row = id === undefined ? undefined : this.#model.rows.get(id)
    this.#canvas.title = row === undefined ? '' : `${row.id}\n${row.location}`
    this.touch()
  }
}
