/**
 * English words for camera moves, colors and objects, and phrases in which such words have another
 * sense.
 */
import type { WordRow } from './lexicon.ts';
import type { Meaning } from './meaning.ts';

const pan = '{pan,pans,panning}';
const camera: readonly WordRow<Meaning>[] = [
  [
    'camera:pan-left',
    3,
    `${pan}_left ${pan}_{to_the,slowly,leftward}_left {track,tracks,tracking}_left ${pan}_leftward
    {moves,moving,truck,trucks,slides,sliding,glides}_left right_to_left pan_shot_left`,
  ],
  [
    'camera:pan-right',
    3,
    `${pan}_right ${pan}_{to_the,slowly}_right {track,tracks,tracking}_right left_to_right
    {moves,moving,truck,trucks,slides,sliding,glides}_right ${pan}_rightward`,
  ],
  [
    'camera:pan-right',
    2,
    `panning pan_shot panning_shot panorama panoramic camera_{pan,pans} ${pan}_{across,over,along}
    ${pan}_{around,to,from,slowly,shot,the} {gentle,smooth,wide,horizontal,cinematic,steady}_pan
    {slow,slowly,soft,quick,fast,whip}_pan tracking_shot tracking dolly_track side_scroll*
    {camera,shot}_{follows,following,tracks,slides} following_shot lateral_move* trucking_shot`,
  ],
  [
    'camera:tilt-up',
    3,
    `{tilt,tilts,tilting}_up ${pan}_up ${pan}_upward {crane,cranes,craning,boom}_{up,shot}
    crane_move*
    {camera,shot}_{rises,rising,ascends,lifts,cranes,crane,tilts} {rising,ascending}_shot
    jib_shot {tilt,tilts,tilting}_upward pedestal_up {drone,camera}_rises_up`,
  ],
  ['camera:pan-left', 2.5, 'to_the_left leftward leftwards'],
  ['camera:pan-right', 2.5, 'to_the_right rightward rightwards'],
  ['camera:tilt-up', 1, 'tilt_shot tilting tilts camera_tilt slow_tilt'],
  [
    'camera:tilt-down',
    3,
    `{tilt,tilts,tilting}_down ${pan}_down ${pan}_downward {crane,cranes,boom}_down
    {camera,shot}_{descends,lowers,descending} descending_shot {tilt,tilts}_downward pedestal_down`,
  ],
  [
    'camera:zoom-in',
    3,
    `{zoom,zooms,zooming}_{in,into,on,onto,to} zoom_in_on {slow,gentle,crash}_zoom
    slow_zoom_{in,into,on}`,
  ],
  ['camera:zoom-in', 1, 'zoom zooms zooming close_up closeup macro_shot'],
  ['camera:zoom-out', 3, '{zoom,zooms,zooming}_{out,back,away} slow_zoom_out'],
  [
    'camera:dolly-in',
    3,
    `{dolly,dollies,dollying}_{in,forward,into,toward,towards,through,over} {dolly,push_in}_shot
    {push,pushes,pushing}_{in,forward,into,through,toward,towards} {camera,shot}_{approaches,enters}
    {moves,moving,glides,gliding,travels,floats}_{forward,through,closer,toward,towards,into}
    dolly_zoom slow_push`,
  ],
  [
    'camera:dolly-in',
    2,
    `dolly dollies drone drone_{shot,footage,view,flight,video} aerial aerial_{view,shot,footage}
    {fly,flies,flying,flyover,soar,soars,soaring}_{over,through,above,past,across,into} fly_through
    flythrough flyover fpv first_person pov birds_eye bird_s_eye steadicam handheld hyperlapse
    camera_{flies,glides,moves,travels,drifts,floats,sweeps} gliding_over glides_over`,
  ],
  [
    'camera:dolly-out',
    3,
    `{dolly,dollies,dollying}_{out,back,away,backward,backwards}
    {pull,pulls,pulling}_{back,out,away} pull_out_shot {moves,moving}_{back,away,backward}
    {camera,shot}_{retreats,reveals} reveal_shot`,
  ],
  [
    'camera:orbit',
    3,
    `{camera,shot}_{orbits,orbit,orbiting,circles,circling,rotates,revolves} orbit_shot
    orbital_shot orbiting_shot {orbit,orbits,orbiting,circling,circles,rotates,revolves}_around
    arc_shot 360 360_degree bullet_time slow_orbit rotating_shot {circling,rotating}_camera`,
  ],
  ['camera:orbit', 1, 'orbit orbits orbiting turntable'],
  [
    'camera:still',
    3,
    `{static,still,fixed,stationary,locked,steady,motionless}_{shot,camera,frame,view,angle}
    locked_off {camera,shot}_{static,still,fixed,holds} tripod no_camera_movement
    {no,without}_camera_{motion,movement,move}`,
  ],
  ['camera:still', 1, 'static'],
];

const paces: readonly WordRow<Meaning>[] = [
  ['pace:slowest', 3, 'slow_motion slow_mo slowmo slowmotion super_slow bullet_time'],
  [
    'pace:slow',
    2,
    `slow slowly gently leisurely unhurried lazily gentle_pace calmly
    slow_{push,pan,tilt,orbit,zoom,zoom_in,zoom_out} ${pan}_slowly`,
  ],
  [
    'pace:fast',
    2,
    `fast quick quickly rapid rapidly rush rushes rushing swift swiftly speeding high_speed
    timelapse time_lapse hyperlapse racing fast_paced frantic frenetic dynamic whip_pan
    lightning_fast energetic {quick,fast}_pan crash_zoom`,
  ],
];

const colors: readonly WordRow<Meaning>[] = [
  ['color:red', 2, 'red crimson scarlet ruby maroon vermilion blood_red burgundy cherry_red'],
  ['color:pink', 2, 'pink magenta fuchsia hot_pink blush salmon bubblegum rose_gold rosy'],
  ['color:orange', 2, 'orange amber tangerine apricot peach copper coral_coloured'],
  ['color:gold', 2, 'gold golden gilded honey_coloured'],
  ['color:yellow', 2, 'yellow lemon mustard saffron'],
  ['color:green', 2, 'green lime olive jade mint sage verdant lush'],
  ['color:emerald', 2, 'emerald emerald_green'],
  ['color:teal', 2, 'teal turquoise cyan aqua aquamarine seafoam'],
  ['color:blue', 2, 'blue azure sapphire cobalt navy cerulean ultramarine blue_hour'],
  ['color:indigo', 2, 'indigo midnight_blue deep_blue'],
  ['color:violet', 2, 'violet purple lilac lavender_{sky,light,hues} mauve amethyst plum'],
  ['color:brown', 2, 'brown chocolate bronze rust rusty caramel'],
  [
    'look:grey',
    2,
    `black_and_white monochrome monochromatic greyscale grayscale noir black_white b_w
    charcoal_{drawing,sketch} silent_film desaturated`,
  ],
  [
    'look:pastel',
    2,
    'pastel pastels candy_coloured soft_colors soft_colours watercolor watercolour',
  ],
  ['look:neon', 2, 'neon synthwave vaporwave cyberpunk retrowave outrun neon_{lights,signs,glow}'],
  [
    'look:vivid',
    2,
    `vivid vibrant colorful colourful saturated psychedelic rainbow_{colors,colours,colored}
    technicolor kaleidoscop* bold_colors`,
  ],
  ['look:sepia', 2, 'sepia vintage old_film old_photograph antique faded_film super_8'],
];

const things: readonly WordRow<Meaning>[] = [
  ['thing:aurora', 2, 'aurora northern_lights aurora_borealis southern_lights polar_lights'],
  [
    'thing:autumn',
    2,
    `autumn autumnal {fall,autumn,fallen}_leaves
    fall_{colors,colors,foliage} october november`,
  ],
  ['thing:balloon', 2, 'hot_air_balloon hot_air_balloons balloon balloons'],
  ['thing:beach', 2, 'beach beaches seashore shore sandy_shore surf surfer surfing'],
  [
    'thing:birds',
    2,
    `bird birds seagull gull gulls eagle hawk falcon crow crows raven geese goose swallow
    swallows flock albatross swan crane_bird pelican sparrow pigeon dove vulture stork`,
  ],
  [
    'thing:boat',
    2,
    `boat sailboat sailing yacht sail sails regatta catamaran sailor fishing_boat canoe kayak
    raft gondola rowboat rowing_boat dinghy wooden_boat fisherman`,
  ],
  ['thing:cactus', 2, 'cactus cacti saguaro mojave arizona sonora* wild_west'],
  ['thing:camels', 2, 'camel camels caravan bedouin nomad nomads dromedary'],
  ['thing:fireflies', 2, 'firefly fireflies glow_worm glowworm glowworms'],
  ['thing:fish', 2, 'fish reef coral aquarium snorkel* scuba diver shark clownfish'],
  ['thing:house', 2, 'house houses village cabin cottage chalet hut farmhouse hamlet lodge town'],
  ['thing:island', 2, 'island isle islet archipelago tropics palm_trees tropical'],
  ['thing:jellyfish', 2, 'jellyfish medusa jellies'],
  ['thing:lake', 2, 'lake lagoon pond reflection reflections fjord mirror_lake tarn'],
  ['thing:lighthouse', 2, 'lighthouse light_house'],
  ['thing:meteor', 2, 'meteor_shower shooting_star shooting_stars meteor meteors falling_star'],
  ['thing:moon', 2, 'moon full_moon crescent_moon moonlight moonlit moonrise'],
  ['thing:pyramids', 2, 'pyramid pyramids egypt egyptian pharaoh giza sphinx'],
  ['thing:rainbow', 2, 'rainbow rainbows double_rainbow'],
  [
    'thing:rays',
    2,
    `god_rays sun_rays sunrays sunbeam sunbeams light_rays rays_of_light sun_shafts shafts_of_light
    light_beams beams_of_light crepuscular_rays volumetric_light volumetric_lighting heavenly`,
  ],
  ['thing:sandstorm', 2, 'sandstorm dust_storm blowing_sand windy windswept dusty'],
  ['thing:ship', 2, 'ship vessel galleon frigate pirate_ship tall_ship cargo_ship ferry pirate'],
  ['thing:stars', 2, 'stars starry starlit starlight milky_way night_sky constellation'],
  [
    'thing:underwater',
    2,
    `underwater under_water reef coral deep_sea under_the_sea under_the_ocean seabed sea_floor
    ocean_floor jellyfish scuba snorkel* kelp submarine aquarium octopus bottom_of_the_sea
    beneath_the_{waves,sea,ocean,surface} below_the_surface mermaid diver sea_turtle seahorse
    shipwreck atlantis clownfish stingray manta`,
  ],
  ['thing:volcano', 2, 'volcano volcanic lava magma eruption erupt*'],
  ['thing:waterfall', 2, 'waterfall waterfalls cascade cascades'],
  ['thing:window', 2, 'window windowpane window_pane windshield window_glass glass_pane'],
  ['thing:winter', 2, 'winter wintry snow snowy snowfall snow_covered ice icy frozen glacier'],
  ['thing:winter', 2, 'snow_capped snowcapped snow_caps arctic blizzard'],
];

const onward = '{from,up,above,over,to,into,out,and,slowly,again,through,high,before,behind}';
/** Words in another sense. */
const otherSenses: readonly WordRow<Meaning>[] = [
  [
    'nothing',
    0,
    `rose_${onward} {he,she,it,they,who,voice,smoke,steam,prices}_rose rosewood
    space_{between,for,of,bar,heater} {open,negative,copy,empty,white,living,office}_space
    {parking,work,personal,creative,safe,storage,liminal}_space {movie,rock,pop,film,tv}_star
    {movie,rock,pop,film}_stars {five,all,gold}_star star_{of_the,wars,trek,rating,anise}
    {on,under,open}_fire fire_{alarm,hydrant,drill} {ice,iced}_{cream,tea,coffee,cube,cubes,age}
    icing cloud_{computing,storage,server} sand_{paper,castle} sandwich*
    {frying,sauce,baking,dust,roasting}_pan pan_{of,with,fried,seared,flute} and_pans pans_of
    {metal,coil,steel}_spring spring_{roll,rolls,water,loaded,onion,mattress} hot_spring*
    {falls,fall,fell}_{asleep,down,apart,over,off} {falls,fall,fell}_in_love
    sea_{of,salt,bass} {heat,brain,radio,sound,shock,light}_{wave,waves}
    wave_{at,to,goodbye,hello} waves_{at,to,his,her,goodbye,hello} {he,she,hand}_{wave,waves}
    family_tree tree_of_life market_{share,research} building_{a,an,blocks,up,the}
    tower_of_{blocks,cards,books} window_{shopping,seat} {computer,browser}_window lava_lamp
    field_of_{view,study} {magnetic,electric,force}_field depth_of_field out_of_the_blue
    blue_{jeans,print} green_{tea,screen,card} red_{carpet,wine,hair,lips,dress,lipstick}
    orange_{juice,cat,tabby} golden_retriever brown_{dog,hair} peach_{pie,cobbler} plum_jam
    beach_umbrella {air,usb}_port port_wine night_{stand,shift,gown} mountain_{bike,lion,biking}
    sky_{diving,diver} zoom_{call,meeting,lens} static_electricity still_life
    winter_{coat,olympics} {theme,car,skate}_park fog_machine storm_trooper stormtrooper
    light_years {every,some,one,all,present,modern}_day day_by_day dark_{chocolate,hair,skin,wood}
    grand_{piano,mother,father} love_letter fast_{food,forward} slow_{cooker,cooked}
    field_{trip,goal} {orange,golden,brown,red,blue,green,pink,yellow}_{shirt,coat,jacket,eyes}
    {orange,golden,brown,red,blue,green,pink,yellow}_{scarf,hat,hair,suit}
    {water,oil}_bottle water_bottle glass_of_water moon_walk`,
  ],
  // The other sense has a scene of its own.
  ['scene:sea', 3, 'desert_island'],
  ['scene:mountains', 2, 'hot_spring* mountain_{bike,lion,biking} sea_of_clouds'],
  ['scene:city', 2, 'fire_{truck,engine,escape} {amusement,theme,skate}_park night_club car_park'],
  ['scene:snow', 3, 'snow_globe'],
  ['scene:forest', 2, 'national_park red_{fox,panda} brown_bear'],
];

export const shotWords = [...camera, ...paces, ...colors, ...things, ...otherSenses];
