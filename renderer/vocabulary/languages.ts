/**
 * Common words for places and times in Spanish, French, German, Portuguese, Italian, Russian,
 * Chinese, Japanese, Korean, Arabic and Hindi. Words with another meaning in English are left out.
 * Single Chinese and Japanese characters count only outside longer words.
 */
import type { WordRow } from './lexicon.ts';
import type { Meaning } from './meaning.ts';

const volcano =
  'volcán* volcan* lava vulkan* vulcão vulcano вулкан* 火山 熔岩 溶岩 화산 용암 بركان ज्वालामुखी';

const places: readonly WordRow<Meaning>[] = [
  ['scene:mountains', 3, volcano],
  [
    'scene:sea',
    3,
    `mar mares océano playa faro ballena costa isla olas mer océan plage phare baleine île vagues
    meer ozean strand küste* leuchtturm praia oceano farol baleia ilha litoral mare spiaggia
    isola balena мор* океан* пляж* маяк* кит киты кита побереж* остров* 海 大海 海洋 海边 海邊 沙滩
    沙灘 海滩 海灘 海浪 灯塔 燈塔 鲸 鯨 岛 島 海岸 海底 ビーチ 浜辺 灯台 クジラ 波打ち際 바다 해변 파도
    등대 고래 섬에 섬의 섬이 해안 بحر بحار محيط شاطي امواج منارة جزيرة समुद्र* सागर महासागर लहर* द्वीप`,
  ],
  [
    'scene:sea',
    2,
    `barco barcos velero navegando lago delfín bateau* voilier navire lac port_de_pêche schiff*
    segelboot insel wellen delfin navio veleiro barca vela_sul_mare nave корабл* лодк* парус*
    волн* озер* 船 帆船 轮船 湖 湖泊 波浪 水下 水中 珊瑚 水母 クラゲ 海豚 イルカ 波 배를 돛단배 호수
    سفينة قارب بحيرة जहाज* नाव झील`,
  ],
  [
    'scene:mountains',
    3,
    `montaña* montagne* berge bergen gebirge* alpen montanha* cordillera sierra valle vallée
    valles gora гора горы горах горам горами горный горная горные долин* вершин* 山 高山 雪山 山脉
    山脈 山谷 群山 富士山 峡谷 谷 산이 산의 산을 산에 산과 산맥 산속 설산 계곡 جبل جبال وادي وديان पहाड़*
    पर्वत* घाटी हिमालय`,
  ],
  [
    'scene:mountains',
    2,
    `colina* colline* hügel* landschaft paisaje paysage paisagem paesaggio cascada cascade_d_eau
    wasserfall cachoeira cascata campo champ_de_blé aurora_boreal aurore_boréale polarlicht*
    холм* пейзаж* водопад* поле поля 瀑布 滝 丘 草原 风景 風景 极光 オーロラ 폭포 언덕 풍경 오로라
    شلال تلال झरना`,
  ],
  [
    'scene:city',
    3,
    `ciudad ciudades ville villes stadt städte großstadt cidade* città metropoli rascacielos
    gratte_ciel wolkenkratzer arranha_céu* город* мегаполис* небоскреб* москв* 城市 都市 上海 北京
    东京 東京 香港 街道 摩天大楼 摩天楼 高楼 ビル街 大阪 京都 街 서울 도시 도심 빌딩 مدينة مدن شوارع
    शहर* नगर मुंबई दिल्ली`,
  ],
  [
    'scene:city',
    2,
    `calle calles edificio* rue_de rues immeuble* straße strassen gebäude rua ruas prédio*
    strada strade palazzi улиц* здани* 大楼 建筑 楼 町 霓虹 ネオン 夜景 烟花 煙火 花火 거리 골목 네온
    شارع مباني सड़क इमारत*`,
  ],
  [
    'scene:space',
    3,
    `espacio_exterior astronauta* planeta* galaxia* cosmonaut* astronaute* planète* galaxie*
    weltraum* weltall astronaut* raumschiff* nave_espacial espaço_sideral galassi* pianet*
    космос* космич* космонавт* планет* галактик* 太空 宇宙 星球 行星 银河 銀河 宇航员 太空人 飞船
    火箭 惑星 宇宙飛行士 宇宙船 우주 행성 은하 우주비행사 فضاء كوكب كواكب مجرة अंतरिक्ष ग्रह आकाशगंगा`,
  ],
  [
    'scene:space',
    1,
    `espacio espace espaço spazio estrella* étoile* sterne sternen* estrela* stelle звезд*
    луна луны 星 星空 月亮 月球 별이 별들 نجوم قمر तारे तारों चाँद चांद`,
  ],
  [
    'scene:forest',
    3,
    `bosque* selva forêt* wald wälder urwald floresta* foresta bosco лес леса лесу лесом лесн*
    джунгл* 森林 树林 樹林 丛林 叢林 竹林 雨林 森 林 ジャングル 숲 정글 غابة غابات जंगल* वन`,
  ],
  [
    'scene:forest',
    2,
    `árbol* arbre* baum bäume* árvore* albero alberi дерев* сосн* 树 樹 木々 大树 나무 شجرة اشجار
    पेड़* ciervo cerf hirsch veado олен* 鹿 사슴`,
  ],
  [
    'scene:rain',
    2,
    `lluvia lloviendo lluvios* pluie* pleut parapluie* regen regnet regnerisch* regenschirm* chuva*
    chovendo guarda_chuva pioggia piove ombrello paraguas дожд* зонт* 雨 下雨 雨天 大雨 雨伞 傘 비가
    비는 비오는 빗방울 빗속 우산 مطر امطار ماطر* बारिश वर्षा`,
  ],
  [
    'scene:snow',
    2,
    `nieve nevad* nevando invierno neige* hiver enneig* schnee* verschneit* neve nevando inverno
    nevic* navidad noël weihnacht* natal снег* снеж* зим* 雪 下雪 雪景 冬 冬天 冬日 圣诞 聖誕 雪花
    눈이 눈내리는 눈밭 눈송이 겨울 ثلج ثلوج شتاء बर्फ* सर्दी सर्दियों`,
  ],
  [
    'scene:desert',
    3,
    `desierto* duna dunas camello* désert* chameau* wüste* düne* kamel* deserto* dune camelo*
    cammell* pirámide* pyramide* pirâmide* пустын* дюн* верблюд* пирамид* 沙漠 沙丘 骆驼 駱駝 金字塔
    砂漠 砂丘 ラクダ 사막 낙타 모래언덕 صحراء كثبان جمل جمال_الصحراء اهرام* रेगिस्तान मरुस्थल ऊँट`,
  ],
  [
    'scene:fire',
    3,
    `fuego hoguera* feu_de_camp flammes bougie* feuer* lagerfeuer flammen kerze* kamin fogo
    fogueira* fuoco falò fiamm* огонь огня огнем костер костр* пламя свеч* камин* 火 火焰 篝火 蜡烛 蠟燭 壁炉
    炎 焚き火 キャンプファイヤー 불꽃 모닥불 촛불 نار نيران لهب شمعة आग ज्वाला मोमबत्ती`,
  ],
  [
    'scene:flowers',
    3,
    `flor flores florec* girasol* tulipan* fleur* tournesol* tulipe* blume* blüte* blühen*
    sonnenblume* girassol* fiore fiori girasoli tulipani цветы цветок цветов цветущ* цветет роз
    розы тюльпан* подсолнух* 花 花朵 鲜花 玫瑰 樱花 櫻花 桜 花园 花園 向日葵 郁金香 花畑 ひまわり バラ
    チューリップ 꽃 벚꽃 장미 해바라기 زهور زهرة ورود وردة ازهار फूल* गुलाब`,
  ],
  [
    'scene:flowers',
    2,
    `jardín jardines mariposa* jardin* papillon* printemps garten schmetterling* frühling*
    wiese wiesen jardim borboleta* giardin* farfall* primavera сад саду бабочк* весн* луг лугу
    庭 庭园 庭園 蝴蝶 草地 春 春天 蝶 정원 나비 봄 حديقة فراشة فراشات ربيع बगीचा तितली वसंत`,
  ],
  [
    'nothing',
    0,
    '火车 火車 火锅 火鍋 海报 海報 山羊 花费 花費 花生 明星 花样 一月 每天 天花板 나비효과 花椒',
  ],
];

const times: readonly WordRow<Meaning>[] = [
  [
    'time:dawn',
    3,
    `amanecer alba madrugada salida_del_sol por_la_mañana aube lever_{de,du}_soleil matin
    sonnenaufgang morgendämmerung morgens am_morgen amanhecer nascer_do_sol pela_manhã manhã
    mattina mattino sorgere_del_sole рассвет* утро утром утренн* восход* 日出 黎明 清晨 早晨 早上
    晨光 拂晓 朝 夜明け 日の出 朝焼け 새벽 아침 일출 해돋이 شروق فجر صباح सूर्योदय सुबह भोर`,
  ],
  [
    'time:dusk',
    3,
    `atardecer anochecer ocaso puesta_de_sol puesta_del_sol crepúsculo coucher_{de,du}_soleil
    crépuscule soir soirée sonnenuntergang* abenddämmerung abend abends dämmerung pôr_do_sol
    entardecer tramonto crepuscolo sera закат* вечер* сумерк* 日落 黄昏 傍晚 夕阳 夕陽 夕日 夕焼け
    夕暮れ 夕方 日没 黄金时刻 晚霞 노을 저녁 일몰 석양 황혼 해질녘 غروب مساء شفق सूर्यास्त शाम संध्या`,
  ],
  [
    'time:night',
    3,
    `noche noches nocturn* medianoche nuit nuits minuit nacht nachts nächtlich* mitternacht
    noite noites notturn* notte notti mezzanotte ночь ночи ночью ночн* полноч* 夜 夜晚 晚上 夜景
    夜空 深夜 午夜 星空 真夜中 極光 极光 밤 밤에 한밤중 야경 밤하늘 ليل ليلة ليلا रात रातों`,
  ],
  [
    'time:night',
    1,
    `luna lune mond lua étoiles estrellas estrelas stelle луна звезды 月 月光 月亮 月夜 烟花 花火
    달빛 별 قمر نجوم चाँदनी चांदनी`,
  ],
  [
    'time:day',
    2,
    `mediodía soleado soleada de_día pleno_día midi ensoleillé* en_plein_jour mittag* sonnig*
    tageslicht tagsüber meio_dia ensolarad* de_dia mezzogiorno soleggiat* полдень днем солнечн*
    白天 中午 正午 晴天 晴朗 阳光 陽光 昼 真昼 晴れ 青空 대낮 한낮 낮에 맑은 نهار ظهيرة مشمس दिन दोपहर धूप`,
  ],
];

const weathers: readonly WordRow<Meaning>[] = [
  [
    'weather:storm',
    4,
    `tormenta* tempestad* orage* tempête* sturm* gewitter* tempestade* tempest* temporale
    шторм* гроза грозы грозой буря бури 暴风雨 暴風雨 风暴 風暴 雷雨 雷 嵐 台风 台風 폭풍 번개 천둥
    عاصفة عواصف رعد برق तूफान तूफ़ान`,
  ],
  [
    'weather:rain',
    3,
    `lluvia lloviendo lluvios* pluie* pleut regen regnet regnerisch* chuva* chovendo pioggia piove
    дожд* 雨 下雨 雨天 大雨 비가 비는 비오는 빗방울 빗속 مطر امطار ماطر* बारिश वर्षा`,
  ],
  [
    'weather:snow',
    3,
    `nevando nieve neige* schneit schnee* neve nevic* снег* снегопад* 雪 下雪 雪花 雪景 눈이 눈내리는
    눈송이 ثلج ثلوج बर्फबारी बर्फ़बारी`,
  ],
  [
    'weather:fog',
    2,
    `niebla brumos* neblina brouillard* brume brumeux nebel* neblig* nevoeiro nebbia* foschia
    туман* 雾 霧 薄雾 云雾 朦胧 안개 ضباب ضبابي* कोहरा धुंध`,
  ],
  [
    'weather:clouds',
    1,
    `nube nubes nublado nuage* nuageux wolken bewölkt nuvem nuvens nublada nuvol* облак* пасмурн*
    云 雲 多云 云彩 曇り 구름 غيوم سحاب बादल*`,
  ],
];

const rest: readonly WordRow<Meaning>[] = [
  ['thing:lighthouse', 2, 'faro phare leuchtturm farol маяк* 灯塔 燈塔 灯台 등대 منارة'],
  [
    'thing:boat',
    2,
    `barco barcos velero bateau* voilier segelboot veleiro barca лодк* парус* 船 帆船 돛단배 قارب
    नाव`,
  ],
  ['thing:ship', 2, 'navire schiff* navio nave корабл* 轮船 輪船 大船 سفينة जहाज*'],
  ['thing:island', 2, 'isla île insel ilha isola остров* 岛 島 섬에 섬의 섬이 جزيرة द्वीप'],
  ['thing:volcano', 2, volcano],
  [
    'thing:beach',
    2,
    'playa plage strand praia spiaggia пляж* 沙滩 沙灘 海滩 海灘 ビーチ 浜辺 해변 شاطي',
  ],
  [
    'thing:underwater',
    2,
    `submarin* bajo_el_agua bajo_el_mar sous_marin* sous_l_eau unterwasser* subaquátic*
    sott_acqua sottomarin* подводн* под_водой 水下 水中 海底 珊瑚 水母 クラゲ 바닷속 수중 تحت_الماء`,
  ],
  ['thing:waterfall', 2, 'cascada wasserfall cachoeira cascata водопад* 瀑布 滝 폭포 شلال झरना'],
  ['thing:lake', 2, 'lago lac bergsee озер* 湖 湖泊 호수 بحيرة झील'],
  [
    'thing:camels',
    2,
    'camello* chameau* kamel* camelo* cammell* верблюд* 骆驼 駱駝 ラクダ 낙타 جمل ऊँट',
  ],
  ['thing:pyramids', 2, 'pirámide* pyramide* pirâmide* piramid* пирамид* 金字塔 ピラミッド اهرام*'],
  [
    'thing:aurora',
    2,
    'aurora_boreal* aurore_boréale polarlicht* nordlicht* северн* 极光 極光 オーロラ 오로라',
  ],
  [
    'thing:rainbow',
    2,
    'arcoíris arc_en_ciel regenbogen arco_íris arcobaleno радуг* 彩虹 虹 무지개',
  ],
  ['thing:moon', 2, 'luna lune mond lua луна луны 月 月光 月亮 月夜 달빛 قمر चाँद'],
  [
    'thing:house',
    2,
    'pueblo maison dorf hütte casa cabaña aldeia villaggio дом домик* деревн* 村庄 小屋 村 마을 قرية गाँव',
  ],
  [
    'thing:winter',
    2,
    `nieve nevad* invierno neige* enneig* hiver schnee* verschneit* neve inverno innevat* снег*
    снеж* зим* 雪 雪山 雪景 冬 冬天 겨울 설산 ثلج ثلوج شتاء बर्फ*`,
  ],
  [
    'thing:autumn',
    2,
    'otoño automne herbst* outono autunno осен* 秋 秋天 紅葉 红叶 가을 단풍 خريف',
  ],
  [
    'thing:birds',
    2,
    'pájaro* aves oiseau* vögel gaviota* uccell* gabbian* птиц* чайк* 鸟 鳥 새들 طيور',
  ],
  [
    'pace:slowest',
    3,
    `cámara_lenta au_ralenti ralenti zeitlupe* câmera_lenta rallentatore замедленн* 慢动作 慢動作 慢镜头
    スローモーション 슬로우모션 슬로모션 حركة_بطيية`,
  ],
  ['pace:slow', 2, 'lentamente lentement langsam* devagar медленн* 缓慢 慢慢 ゆっくり 천천히 ببطء'],
  [
    'pace:fast',
    2,
    'rápid* rapidement schnell* быстр* 快速 速く 빠르게 بسرعة 延时摄影 タイムラプス',
  ],
  ['camera:zoom-in', 2, 'acercamiento heranzoom* приближ* 推近 拉近 ズームイン 줌인 تكبير'],
  ['camera:zoom-out', 2, 'alejamiento herauszoom* отдал* 拉远 拉遠 ズームアウト 줌아웃'],
  [
    'camera:dolly-in',
    2,
    'travelling dron drohne* drone_aéreo vista_aérea 航拍 推进 無人機 ドローン 드론',
  ],
  [
    'camera:pan-right',
    2,
    'panorámica panoramique schwenk* panoramica панорам* 横移 平移 パン撮影 패닝',
  ],
];

export const otherWords = [...places, ...times, ...weathers, ...rest];
