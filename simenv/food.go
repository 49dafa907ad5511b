package simenv

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv/pyvalue"
)

// foodPlatform is the app that delivers food.
type foodPlatform struct {
	baseAPI
	users     *pyvalue.Dict // name to {user_id, password, balance}
	merchants *pyvalue.Dict // name to {merchant_id, service_type, menu}; menu is a list of {product, price}
	customers *pyvalue.List // names of those logged in to the platform, in order of login
	orders    *pyvalue.List // {user_name, merchant_name, items, total_price}
	dialect   *foodDialect
}

var foodClass = define(&class{
	name:   "FoodPlatform",
	parent: baseClass,
	graded: []string{"users", "logged_in_users", "orders"},
	shape: record{
		"users":         dictOf(record{"password": isText, "balance": isFloat}.check),
		"merchant_list": dictOf(record{"menu": listOf(record{"product": isText, "price": isNumber}.check)}.check),
	},
	build: func(w *World, t tables) api {
		return &foodPlatform{
			baseAPI:   baseAPI{text: baseTexts[w.Language]},
			users:     t.dict("users"),
			merchants: t.dict("merchant_list"),
			orders:    pyvalue.NewList(),
			dialect:   foodDialects[w.Language],
		}
	},
	methods: []*Method{
		{Name: "login_food_platform", Params: []Param{str("username"), str("password")},
			Needs: "wifi", Changes: "logged_in_users", run: on((*foodPlatform).login)},
		{Name: "view_logged_in_users",
			run: on((*foodPlatform).viewLoggedIn)},
		{Name: "check_balance", Params: []Param{str("user_name")},
			run: on((*foodPlatform).balance)},
		{Name: "add_food_delivery_order", Params: []Param{str("username"), str("merchant_name"), {Name: "items", Type: "list"}},
			Needs: "platform login, funds", Changes: "users, orders", run: on((*foodPlatform).order)},
		{Name: "get_products", Params: []Param{str("merchant_name")},
			run: on((*foodPlatform).products)},
		{Name: "view_orders", Params: []Param{str("user_name")},
			run: on((*foodPlatform).viewOrders)},
		{Name: "search_orders", Params: []Param{str("keyword")},
			run: on((*foodPlatform).searchOrders)},
	},
})

// foodDialect holds what FoodPlatform says in one language, and the two places where the languages behave differently.
type foodDialect struct {
	offline, unknownUser, wrongPassword, already, loggedIn string
	nobody                                                 string
	notLoggedIn, unknownMerchant, badQuantity, offMenu     string
	insufficient, ordered                                  string
	noMerchant, noOrders, noMatch                          string

	// short reports whether a balance is too small for a total: in English an order may cost all of it, in Chinese something must remain.
	short func(total, balance pyvalue.Value) (bool, error)
	// lowerItems: the search for orders lower-cases the items themselves instead of their products. Items are objects, so it fails.
	lowerItems bool
}

var foodDialects = map[string]*foodDialect{
	"en": {
		offline:         "Wi-Fi is not enabled, unable to login",
		unknownUser:     "User does not exist",
		wrongPassword:   "Incorrect password",
		already:         "%s is already logged in",
		loggedIn:        "User %s has successfully logged in!",
		nobody:          "No users are currently logged in to the food platform",
		notLoggedIn:     "User %s is not logged in to the food platform",
		unknownMerchant: "Merchant does not exist",
		badQuantity:     "Invalid quantity %s for product %s",
		offMenu:         "Product %s does not exist in %s's menu",
		insufficient:    "Insufficient balance to place the order",
		ordered:         "Food delivery order successfully placed with %s. Total amount: %s yuan",
		noMerchant:      "Merchant '%s' does not exist",
		noOrders:        "User has no order records",
		noMatch:         "No matching orders found",
		short:           pyvalue.Greater,
	},
	"zh": {
		offline:         "wifi未打开，无法登录",
		unknownUser:     "用户不存在",
		wrongPassword:   "密码错误",
		already:         "%s 已经登录",
		loggedIn:        "用户%s登陆成功！",
		nobody:          "当前没有登录food platform",
		notLoggedIn:     "用户 %s 未登录food platform",
		unknownMerchant: "商家不存在",
		badQuantity:     "无效的数量 %s 对于商品 %s",
		offMenu:         "商品 %s 不存在于 %s 的菜单中",
		insufficient:    "余额不足，无法下单",
		ordered:         "外卖订单成功下单给 %s，总金额为 %s 元",
		noMerchant:      "商家 '%s' 不存在",
		noOrders:        "用户没有订单记录",
		noMatch:         "没有找到匹配的订单",
		short:           pyvalue.GreaterEqual,
		lowerItems:      true,
	},
}

// load reads the flags and the users that are logged in. It replaces what a former load set, with nobody when the configuration
// does not say.
func (f *foodPlatform) load(config pyvalue.Value) error {
	if err := f.baseAPI.load(config); err != nil {
		return err
	}
	users := getOr(asDict(config), "logged_in_users", pyvalue.NewList())
	logins, ok := users.(*pyvalue.List)
	if !ok {
		return pyvalue.Raise("TypeError", "logged_in_users must be a list, not %s", pyvalue.TypeName(users))
	}
	f.customers = logins
	return nil
}

func (f *foodPlatform) attribute(name string) pyvalue.Value {
	switch name {
	case "users":
		return f.users
	case "logged_in_users":
		return f.customers
	default:
		return f.orders
	}
}

func (f *foodPlatform) login(a args) (pyvalue.Value, error) {
	name, password := a[0], a[1]
	if off(f.wifi) {
		return fail(f.dialect.offline)
	}
	user, known, err := f.users.Get(name)
	switch {
	case err != nil:
		return nil, err
	case !known:
		return fail(f.dialect.unknownUser)
	case !pyvalue.Equal(field(user, "password"), password):
		return fail(f.dialect.wrongPassword)
	case f.isCustomer(name):
		return fail(fmt.Sprintf(f.dialect.already, pyvalue.String(name)))
	}
	f.customers.Append(name)
	return done(fmt.Sprintf(f.dialect.loggedIn, pyvalue.String(name)))
}

// isCustomer reports whether a name is logged in to the platform.
func (f *foodPlatform) isCustomer(name pyvalue.Value) bool {
	found, _ := pyvalue.Contains(f.customers, name) // a list can be searched for anything
	return found
}

func (f *foodPlatform) viewLoggedIn(args) (pyvalue.Value, error) {
	if f.customers.Len() == 0 {
		return fail(f.dialect.nobody)
	}
	return pyvalue.DictOf("status", pyvalue.Bool(true), "logged_in_users", f.customers), nil
}

func (f *foodPlatform) balance(a args) (pyvalue.Value, error) {
	user, known, err := f.users.Get(a[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return pyvalue.Float(0), nil
	}
	return field(user, "balance"), nil
}

func (f *foodPlatform) order(a args) (pyvalue.Value, error) {
	name, merchantName := a[0], a[1]
	if !f.isCustomer(name) {
		return fail(fmt.Sprintf(f.dialect.notLoggedIn, pyvalue.String(name)))
	}
	merchant, known, err := f.merchants.Get(merchantName)
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(f.dialect.unknownMerchant)
	}
	bill, refusal, err := f.bill(merchant, merchantName, a[2])
	if err != nil {
		return nil, err
	}
	if refusal != "" {
		return fail(refusal)
	}

	user, known, err := f.users.Get(name)
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, keyError(name) // logged in by the configuration, yet nobody the platform knows
	}
	balance := field(user, "balance")
	short, err := f.dialect.short(bill.total, balance)
	if err != nil {
		return nil, err
	}
	if short {
		return fail(f.dialect.insufficient)
	}
	rest, err := pyvalue.Sub(balance, bill.total)
	if err != nil {
		return nil, err
	}
	setField(user, "balance", rest)
	f.orders.Append(pyvalue.DictOf("user_name", name, "merchant_name", merchantName, "items", pyvalue.NewList(bill.items...), "total_price", bill.total))
	return done(fmt.Sprintf(f.dialect.ordered, pyvalue.String(merchantName), pyvalue.String(bill.total)))
}

// bill is an order that has been looked through: its items with their prices, and the sum, which is always a float.
type bill struct {
	items []pyvalue.Value
	total pyvalue.Value
}

// bill looks through the items of an order. refusal is what the platform answers when one of them is wrong; the first one counts,
// and its quantity before its product.
func (f *foodPlatform) bill(merchant, merchantName, asked pyvalue.Value) (b bill, refusal string, err error) {
	elements, err := pyvalue.Elements(asked)
	if err != nil {
		return bill{}, "", err
	}
	b.total = pyvalue.Float(0)
	for _, element := range elements {
		line, ok := element.(*pyvalue.Dict)
		if !ok {
			return bill{}, "", noAttribute(element, "get")
		}
		product, quantity := getOr(line, "product", pyvalue.None{}), getOr(line, "quantity", number(1))
		if !isPositive(quantity) {
			return bill{}, fmt.Sprintf(f.dialect.badQuantity, pyvalue.String(quantity), pyvalue.String(product)), nil
		}
		price, ok := f.price(merchant, product)
		if !ok {
			return bill{}, fmt.Sprintf(f.dialect.offMenu, pyvalue.String(product), pyvalue.String(merchantName)), nil
		}
		cost, err := pyvalue.Mul(price, quantity)
		if err != nil {
			return bill{}, "", err
		}
		if b.total, err = pyvalue.AddAssign(b.total, cost); err != nil {
			return bill{}, "", err
		}
		b.items = append(b.items, pyvalue.DictOf("product", product, "quantity", quantity, "price_per_unit", price))
	}
	return b, "", nil
}

// isPositive reports whether a value is an integer above zero. True is one, 2.0 is none.
func isPositive(v pyvalue.Value) bool {
	switch v := v.(type) {
	case pyvalue.Int:
		return v.Sign() > 0
	case pyvalue.Bool:
		return bool(v)
	}
	return false
}

// price finds a product on a merchant's menu.
func (f *foodPlatform) price(merchant, product pyvalue.Value) (pyvalue.Value, bool) {
	for _, dish := range items(field(merchant, "menu")) {
		if pyvalue.Equal(field(dish, "product"), product) {
			return field(dish, "price"), true
		}
	}
	return nil, false
}

func (f *foodPlatform) products(a args) (pyvalue.Value, error) {
	merchant, known, err := f.merchants.Get(a[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return fail(fmt.Sprintf(f.dialect.noMerchant, pyvalue.String(a[0])))
	}
	return field(merchant, "menu"), nil
}

func (f *foodPlatform) viewOrders(a args) (pyvalue.Value, error) {
	var found []pyvalue.Value
	for _, order := range f.orders.Items {
		if pyvalue.Equal(field(order, "user_name"), a[0]) {
			found = append(found, order)
		}
	}
	if found == nil {
		return fail(f.dialect.noOrders)
	}
	return listing("orders", found)
}

func (f *foodPlatform) searchOrders(a args) (pyvalue.Value, error) {
	var found []pyvalue.Value
	for _, order := range f.orders.Items {
		hit, err := f.mentions(order, a[0])
		if err != nil {
			return nil, err
		}
		if hit {
			found = append(found, order)
		}
	}
	if found == nil {
		return fail(f.dialect.noMatch)
	}
	return listing("orders", found)
}

// mentions reports whether an order's merchant or one of its products contains the keyword.
func (f *foodPlatform) mentions(order, keyword pyvalue.Value) (bool, error) {
	hit, err := containsFold(field(order, "merchant_name"), keyword)
	if err != nil || hit {
		return hit, err
	}
	for _, it := range items(field(order, "items")) {
		text := it
		if !f.dialect.lowerItems {
			text = field(it, "product")
		}
		if hit, err := containsFold(text, keyword); err != nil || hit {
			return hit, err
		}
	}
	return false, nil
}
