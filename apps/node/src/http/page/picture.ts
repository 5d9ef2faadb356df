import { widthOf } from './bundles.ts'
import { drawChange, drawRing, FADES } from './changes.ts'
import { nodeTime } from './clock.ts'
import { readColours, type Colours } from './colours.ts'
import type { Place } from './layout.ts'
import type { Model, Row } from './model.ts'
import { MOVING_LIMIT, Places } from './places.ts'
import { shortId } from '../../events/quantity.ts'

/**
 * The largest number of members for which the picture shows all names. With more members it shows
 * only the name of the hovered or selected member. Guess.
 */
const NAMES_LIMIT = 40
/**
 * The least time between two drawings of the links of a large pool, ms. Measured: 6,000 links take
 * 20 ms without a graphics processor.
 */
const LINKS_TIME = 250

/** The distance within which the pointer finds a member, pixels. */
const REACH = 12

/**
 * The overlay as Figure 9 of the JEL paper shows it: members by site, a colour for each site, and
 * the links between members.
 */
export class Picture {
  readonly #model: Model
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  /** The links have a canvas of their own, because a drawing of many links takes long. */
  readonly #linksCanvas = document.createElement('canvas')
  readonly #pick: (id: string | undefined) => void
  #colours: Colours = readColours()
  readonly #places = new Places()
  /** The versions of members and links on the canvas of links. Empty: it must be drawn again. */
  #linksDrawnVersions = ''
  /** When the canvas of links was drawn, by the clock of `performance`, ms. */
  #linksDrawnAt = -Infinity
  /** The version of the members to which `#places` has given places. */
  #placedMembersVersion = -1
  /** The radius of the circle of members, in pixels. */
  #radius = 40
  #hovered: string | undefined
  #selected: string | undefined
  #dirty = true

  /** `pick` gets the id of the clicked member, or undefined if the click meets none. */
  constructor(model: Model, canvas: HTMLCanvasElement, pick: (id: string | undefined) => void) {
    this.#model = model
    this.#canvas = canvas
    this.#context = canvas.getContext('2d') as CanvasRenderingContext2D
    this.#pick = pick
    new ResizeObserver(() => this.#resize()).observe(canvas)
    canvas.addEventListener('mousemove', ({ offsetX, offsetY }) => this.#hover(this.#at(offsetX, offsetY)))
    canvas.addEventListener('mouseleave', () => this.#hover(undefined))
    canvas.addEventListener('click', ({ offsetX, offsetY }) => this.#pick(this.#at(offsetX, offsetY)))
  }

  recolour(colours: Colours): void {
    this.#colours = colours
    this.#linksDrawnVersions = ''
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
    const at = this.#places.layout.sites.indexOf(site)
    const { hues, named } = this.#colours
    return hues[at % hues.length] ?? named.accent
  }

  get sites(): readonly string[] {
    return this.#places.layout.sites
  }

  /** Draws if anything has changed. Returns whether it drew. */
  draw(): boolean {
    const model = this.#model
    if (model.membersVersion !== this.#placedMembersVersion || nodeTime() >= this.#places.fadedAt) this.#arrange()
    const now = performance.now()
    const isMoving = this.#places.isMoving(now)
    const fading = [...model.members.values()].filter(({ state, since }) => nodeTime() - since < FADES[state])
    // A change, a move, a fading member or undrawn links require a redraw.
    if (!this.#dirty && !isMoving && fading.length === 0 && this.#areLinksDrawn) return false
    this.#dirty = false
    const { clientWidth, clientHeight } = this.#canvas
    // These margins leave room for names.
    const [beside, above] = this.#places.layout.places.size <= NAMES_LIMIT ? [80, 28] : [14, 14]
    this.#radius = Math.max(40, Math.min(clientWidth / 2 - beside, clientHeight / 2 - above))
    this.#places.move(now, model.members)
    this.#drawLinks(now, isMoving)
    const context = this.#context
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height)
    context.drawImage(this.#linksCanvas, 0, 0)
    this.#scale(context)
    this.#drawFocus(context)
    this.#drawMembers(context)
    for (const row of fading) this.#drawFading(context, row)
    this.#drawNames(context)
    return true
  }

  get #areLinksDrawn(): boolean {
    return this.#linksDrawnVersions === `${this.#model.membersVersion} ${this.#model.linksVersion}`
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#canvas
    const ratio = devicePixelRatio
    for (const canvas of [this.#canvas, this.#linksCanvas]) {
      canvas.width = Math.round(clientWidth * ratio)
      canvas.height = Math.round(clientHeight * ratio)
    }
    this.#linksDrawnVersions = ''
    this.touch()
  }

  #arrange(): void {
    const model = this.#model
    this.#placedMembersVersion = model.membersVersion
    this.#places.arrange([...model.members.values()], model.edges.length, nodeTime())
    this.touch()
  }

  #scale(context: CanvasRenderingContext2D): void {
    const ratio = devicePixelRatio
    const { clientWidth, clientHeight } = this.#canvas
    context.setTransform(ratio, 0, 0, ratio, (clientWidth / 2) * ratio, (clientHeight / 2) * ratio)
  }

  /** Returns the place of a member, in pixels from the middle. */
  #find(id: string): Place | undefined {
    return this.#places.find(id, this.#radius)
  }

  #drawLinks(now: number, isMoving: boolean): void {
    const { edges, membersVersion, linksVersion } = this.#model
    const isLarge = edges.length > MOVING_LIMIT
    if (!isMoving && (this.#areLinksDrawn || (isLarge && now - this.#linksDrawnAt < LINKS_TIME))) return
    this.#linksDrawnVersions = isMoving ? '' : `${membersVersion} ${linksVersion}`
    this.#linksDrawnAt = now
    const { singles, bundles } = this.#model.lines
    const context = this.#linksCanvas.getContext('2d') as CanvasRenderingContext2D
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.clearRect(0, 0, this.#linksCanvas.width, this.#linksCanvas.height)
    this.#scale(context)
    context.strokeStyle = this.#colours.named.edge
    context.lineWidth = singles.length > MOVING_LIMIT ? 0.5 : 1
    context.globalAlpha = Math.min(1, Math.max(0.12, 30 / Math.sqrt(singles.length + 1) / 2))
    context.beginPath()
    for (const { from, to } of singles) this.#line(context, this.#find(from), this.#find(to))
    context.stroke()
    context.globalAlpha = 0.4
    context.lineCap = 'round'
    const middles = bundles.length === 0 ? undefined : this.#middles()
    for (const each of bundles) {
      const [one, other] = each.sites
      context.lineWidth = widthOf(each)
      context.beginPath()
      this.#line(context, middles?.get(one), middles?.get(other))
      context.stroke()
    }
    context.globalAlpha = 1
  }

  /** Returns the middle of the members of each site, in pixels. Bundles begin and end there. */
  #middles(): Map<string, Place> {
    const sums = new Map<string, { x: number; y: number; count: number }>()
    for (const { id, site, state } of this.#model.members.values()) {
      const place = state === 'here' ? this.#find(id) : undefined
      if (place === undefined) continue
      const sum = sums.get(site) ?? { x: 0, y: 0, count: 0 }
      sums.set(site, { x: sum.x + place.x, y: sum.y + place.y, count: sum.count + 1 })
    }
    return new Map([...sums].map(([site, { x, y, count }]) => [site, { x: x / count, y: y / count }]))
  }

  #line(context: CanvasRenderingContext2D, one: Place | undefined, other: Place | undefined): void {
    if (one === undefined || other === undefined) return
    context.moveTo(one.x, one.y)
    context.lineTo(other.x, other.y)
  }

  /** Draws the links of the member under the pointer, or of the selected member. */
  #drawFocus(context: CanvasRenderingContext2D): void {
    const id = this.#hovered ?? this.#selected
    if (id === undefined || this.#find(id) === undefined) return
    context.strokeStyle = this.#colours.named.accent
    context.lineWidth = 1.5
    context.beginPath()
    for (const { from, to } of this.#model.edges) if (from === id || to === id) this.#line(context, this.#find(from), this.#find(to))
    context.stroke()
  }

  #drawMembers(context: CanvasRenderingContext2D): void {
    const { places, sites } = this.#places.layout
    const dot = this.#dot
    const paths = new Map<string, Path2D>(sites.map((site) => [site, new Path2D()]))
    for (const id of places.keys()) {
      const { x, y } = this.#find(id) as Place
      const row = this.#model.members.get(id)
      if (row?.state !== 'here') continue
      const path = paths.get(row.site)
      path?.moveTo(x + dot, y)
      path?.arc(x, y, dot, 0, 2 * Math.PI)
    }
    for (const [site, path] of paths) {
      context.fillStyle = this.hueOf(site)
      context.fill(path)
    }
    const self = this.#model.self?.id
    const winners = new Set(this.#model.roles.map(({ node }) => node.id))
    for (const id of winners) this.#ring(context, id, dot + 3, 2, this.#colours.named.warn)
    this.#ring(context, self, dot + 1, 1.5, this.#colours.named.text)
    this.#ring(context, this.#hovered ?? this.#selected, dot + 5, 2, this.#colours.named.accent)
  }

  get #dot(): number {
    return Math.min(7, Math.max(2, this.#places.layout.spacing * this.#radius * 0.32))
  }

  #ring(context: CanvasRenderingContext2D, id: string | undefined, size: number, width: number, colour: string): void {
    const place = id === undefined ? undefined : this.#find(id)
    if (place !== undefined) drawRing(context, place, size, width, colour)
  }

  #drawFading(context: CanvasRenderingContext2D, { id, state, since }: Row): void {
    const place = this.#find(id)
    const share = (nodeTime() - since) / FADES[state]
    if (place !== undefined) drawChange(context, place, { state, share, dot: Math.max(4, this.#dot), colours: this.#colours })
  }

  #drawNames(context: CanvasRenderingContext2D): void {
    const { members } = this.#model
    context.font = '11px ui-monospace, Menlo, Consolas, monospace'
    context.textBaseline = 'middle'
    context.fillStyle = this.#colours.named.text
    const all = this.#places.layout.places.size <= NAMES_LIMIT ? [...this.#places.ids] : [this.#hovered ?? this.#selected ?? '']
    const edge = 0.25 * this.#radius
    for (const id of all) {
      const place = this.#find(id)
      const row = members.get(id)
      if (place === undefined || row === undefined) continue
      const age = nodeTime() - row.since
      context.globalAlpha = row.state === 'here' ? 0.85 : Math.max(0, 0.85 * (1 - age / FADES[row.state]))
      const reach = this.#dot + 8
      const { x, y } = place
      context.textAlign = x < -edge ? 'right' : x > edge ? 'left' : 'center'
      const dx = x < -edge ? -reach : x > edge ? reach : 0
      context.fillText(shortId(id), x + dx, dx === 0 ? y + (y < 0 ? -reach - 4 : reach + 4) : y)
    }
    context.globalAlpha = 1
  }

  /** Returns the id of the member at this position, in pixels. */
  #at(x: number, y: number): string | undefined {
    const { clientWidth, clientHeight } = this.#canvas
    return this.#places.nearest(x - clientWidth / 2, y - clientHeight / 2, REACH, this.#radius)
  }

  #hover(id: string | undefined): void {
    if (id === this.#hovered) return
    this.#hovered = id
    this.#canvas.style.cursor = id === undefined ? 'default' : 'pointer'
    const row = id === undefined ? undefined : this.#model.members.get(id)
    this.#canvas.title = row === undefined ? '' : `${row.id}\n${row.location}`
    this.touch()
  }
}
